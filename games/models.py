"""Every model of the app, gathered from the rooms for Django, which looks for them here."""

from games.daily.models import DailyDeal, DailySecret, DailyTry
from games.histories.models import OpenedRecord
from games.log.models import RUNNING, Action, Game, GameSecret, Heartbeat, Outage, Player
from games.mistakes.models import Review
from games.parties.models import Party, PartyMember
from games.people.models import Block, Mute, Report
from games.presets.models import PresetVersion, RulePreset, ShippedPreset
from games.statistics.models import Tally, Uncounted
from games.tables.models import Vote

__all__ = [
    "RUNNING",
    "Action",
    "Block",
    "DailyDeal",
    "DailySecret",
    "DailyTry",
    "Game",
    "GameSecret",
    "Heartbeat",
    "Mute",
    "OpenedRecord",
    "Outage",
    "Party",
    "PartyMember",
    "Player",
    "PresetVersion",
    "Report",
    "Review",
    "RulePreset",
    "ShippedPreset",
    "Tally",
    "Uncounted",
    "Vote",
]
