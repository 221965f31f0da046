"""A slow, obvious second implementation of Hearts and Spades, written from the rules text alone.

It shares no code and no author with the engine that the site plays by. It exists so that tests can play the same
game on both and compare every answer: a mistake has to be made twice, independently, to go unseen.

Nothing is clever here. `log` is the list of all actions; `sheet` is the score sheet, one line per finished deal.
Hands, tricks, broken, phase and the end of the game are worked out from these two lists each time they are asked for.
"""

from itertools import combinations

RANKS = "23456789TJQKA"
DECK = [rank + suit for suit in "CDHS" for rank in RANKS]

HAND_SIZE = {2: 13, 3: 17, 4: 13, 5: 10, 6: 8, 7: 7}
ROTATION = {
    2: ["opponent", "hold"],
    3: ["left", "right", "hold"],
    4: ["left", "right", "across", "hold"],
    5: ["left", "right", "hold"],
    6: ["left", "right", "across", "hold"],
    7: ["left", "right", "hold"],
}
DEFAULTS = {
    "hearts": {
        "surplus": "remove",
        "removed_three": "2D",
        "removed_six": "all_twos",
        "passing": "rotate",
        "hold_deal": "play",
        "skip_right": "none",
        "first_lead": "low_club",
        "first_trick_points": "no",
        "hearts_broken_by": "heart",
        "heart_discard": "free",
        "jack_of_diamonds": "off",
        "moon": "add",
        "jack_in_moon": "no",
        "end_score": 100,
        "end_test": "reach",
        "tie_for_first": "play_on",
        "score_sign": "plus",
        "standing": "placement",
    },
    "spades": {"target": 500, "bag_penalty": "yes", "blind_nil": "no", "floor": "yes", "first_lead": "dealer_left"},
}
LAST_DEAL = 60
EXTRA_DEALS = 5


def suit_of(card):
    return card[1]


def height(card):
    return RANKS.index(card[0])


def in_deck_order(cards):
    return sorted(cards, key=DECK.index)


def by_rank(cards):
    """Lowest first; equal ranks in the order clubs, diamonds, spades, hearts."""
    return sorted(cards, key=lambda card: (height(card), "CDSH".index(suit_of(card))))


def is_point_card(card):
    return suit_of(card) == "H" or card == "QS"


class Naive:
    def __init__(self, kind, players, options):
        self.kind = kind
        self.players = players
        self.options = {**DEFAULTS[kind], **options}
        self.log = []  # every action, in order
        self.sheet = []  # per finished deal: {"scores": after it, "bags": after it, "log_length": actions so far}

    # ---- the table -------------------------------------------------------------------------------------------

    @property
    def deck(self):
        if self.kind == "spades" or self.players == 4:
            removed = []
        elif self.players == 2:
            removed = [card for card in DECK if card[0] in "3579JK"]
        elif self.options["surplus"] == "kitty":
            removed = []
        elif self.players == 3:
            removed = [self.options["removed_three"]]
        elif self.players == 5:
            removed = ["2D", "2C"]
        elif self.players == 6 and self.options["removed_six"] == "all_twos":
            removed = ["2C", "2D", "2H", "2S"]
        elif self.players == 6:
            removed = ["2D", "3D", "3C", "4C"]
        elif self.players == 7:
            removed = ["2D", "3D", "3C"]
        return [card for card in DECK if card not in removed]

    @property
    def deal_number(self):
        """The deal that is on or comes next; when the game is over, the last one."""
        return len(self.sheet) if self.result() else len(self.sheet) + 1

    @property
    def attempt(self):
        return 1 if any(action["kind"] == "skip" for action in self._this_deal()) else 0

    @property
    def dealer(self):
        if not self.log:
            return None
        return (self.log[0]["dealer"] + self.deal_number - 1) % self.players

    @property
    def direction(self):
        if self.kind == "spades":
            return None
        if self.options["passing"] == "off":
            return "hold"
        if self.options["passing"] == "always_left":
            return "opponent" if self.players == 2 else "left"
        rotation = ROTATION[self.players]
        if self.options["hold_deal"] == "skip":
            rotation = [step for step in rotation if step != "hold"]
        return rotation[(self.deal_number - 1) % len(rotation)]

    # ---- reading the log -------------------------------------------------------------------------------------

    def _this_deal(self):
        """All actions of the deal numbered `deal_number`, both attempts."""
        finished = self.sheet[:-1] if self.result() else self.sheet
        start = finished[-1]["log_length"] if finished else 0
        return self.log[start:]

    def _since_dealt(self):
        """The actions from the last `deal` on; [] while cards are still to be dealt."""
        actions = self._this_deal()
        for i in reversed(range(len(actions))):
            if actions[i]["kind"] == "deal":
                return actions[i:]
            if actions[i]["kind"] == "skip":
                return []
        return []

    def _said(self, kind):
        return [action for action in self._since_dealt() if action["kind"] == kind]

    def _dealt(self):
        """(hands, kitty) as the pack was dealt."""
        hands: list[list[str]] = [[] for _ in range(self.players)]
        kitty = []
        dealer = self.dealer
        for deal in self._said("deal"):
            for i, card in enumerate(deal["pack"]):
                if i < HAND_SIZE[self.players] * self.players:
                    hands[(dealer + 1 + i) % self.players].append(card)
                else:
                    kitty.append(card)
        return hands, kitty

    def _hands_before_play(self):
        """The hands after everyone has passed or exchanged; as dealt until then."""
        hands, _ = self._dealt()
        steps = {"left": 1, "right": -1, "across": self.players // 2, "opponent": 1}
        given = []
        if len(self._said("pass")) == self.players:
            given = [(action, steps[self.direction]) for action in self._said("pass")]
        if len(self._said("exchange")) == 2:
            given = [(action, 2) for action in self._said("exchange")]
        for action, _ in given:
            for card in action["cards"]:
                hands[action["seat"]].remove(card)
        for action, step in given:
            hands[(action["seat"] + step) % self.players] += action["cards"]
        return [in_deck_order(hand) for hand in hands]

    @property
    def hands(self):
        if self._said("finish"):
            return [[] for _ in range(self.players)]
        hands = self._hands_before_play()
        for action in self._said("play"):
            hands[action["seat"]].remove(action["card"])
        return hands

    def _tricks(self):
        """All tricks of the deal, each a list of (seat, card); the last one may be short, none is empty."""
        plays = [(action["seat"], action["card"]) for action in self._said("play")]
        return [plays[i : i + self.players] for i in range(0, len(plays), self.players)]

    def _full_tricks(self):
        return [trick for trick in self._tricks() if len(trick) == self.players]

    def _current_trick(self):
        tricks = self._tricks()
        return tricks[-1] if tricks and len(tricks[-1]) < self.players else []

    def _winner(self, trick):
        led_suit = suit_of(trick[0][1])
        can_win = [play for play in trick if suit_of(play[1]) == led_suit]
        if self.kind == "spades":
            can_win = [play for play in trick if suit_of(play[1]) == "S"] or can_win
        return max(can_win, key=lambda play: height(play[1]))[0]

    def _opening_card(self):
        """The card that has to be led to trick one, or None if that is free."""
        if self.options["first_lead"] == "dealer_left":
            return None
        if self.options["first_lead"] == "club_two":
            return "2C"
        in_hands = [card for hand in self._hands_before_play() for card in hand]
        return min((card for card in in_hands if suit_of(card) == "C"), key=height)

    @property
    def leader(self):
        if self.phase != "play":
            return None
        if self._current_trick():
            return self._current_trick()[0][0]
        if self._full_tricks():
            return self._winner(self._full_tricks()[-1])
        if self._opening_card() is None:
            return (self.dealer + 1) % self.players
        return next(seat for seat, hand in enumerate(self._hands_before_play()) if self._opening_card() in hand)

    @property
    def broken(self):
        hands = self._hands_before_play()
        for trick in self._tricks():
            for i, (seat, card) in enumerate(trick):
                all_hearts = all(suit_of(held) == "H" for held in hands[seat])
                if self.kind == "spades":
                    breaks = suit_of(card) == "S"
                elif i == 0 and all_hearts:
                    breaks = True
                elif self.options["hearts_broken_by"] == "heart":
                    breaks = suit_of(card) == "H"
                elif self.options["hearts_broken_by"] == "queen":
                    breaks = card == "QS"
                else:
                    breaks = is_point_card(card)
                if breaks:
                    return True
                hands[seat].remove(card)
        return False

    def _taken(self):
        """The cards each seat has taken in tricks, with the kitty for the winner of trick one."""
        taken: list[list[str]] = [[] for _ in range(self.players)]
        for number, trick in enumerate(self._full_tricks(), start=1):
            taken[self._winner(trick)] += [card for _, card in trick]
            if number == 1:
                taken[self._winner(trick)] += self._dealt()[1]
        return taken

    # ---- who is asked what -----------------------------------------------------------------------------------

    @property
    def phase(self):
        if not self.log:
            return "open"
        if self.result():
            return "over"
        if not self._since_dealt():
            return "deal"
        if self.kind == "hearts" and self.direction != "hold" and len(self._said("pass")) < self.players:
            return "pass"
        if self.kind == "spades" and len(self._said("blind")) < len(self._blind_seats()):
            return "blind"
        if self.kind == "spades" and len(self._bids()) < 4:
            return "bid"
        if self.kind == "spades" and len(self._said("exchange")) < len(self._exchange_seats()):
            return "exchange"
        if self._play_is_over():
            return "moon"
        return "play"

    def _play_is_over(self):
        everything = HAND_SIZE[self.players] * self.players
        return bool(self._said("finish")) or len(self._said("play")) == everything

    def _blind_seats(self):
        """Spades: the seats that are asked for a blind nil in this deal."""
        if self.options["blind_nil"] == "no":
            return []
        scores = self.scores
        return [seat for seat in range(4) if scores[1 - seat % 2] - scores[seat % 2] >= 100]

    def _blind_bidders(self):
        return [action["seat"] for action in self._said("blind") if action["blind"]]

    def _bids(self):
        """Spades: seat -> bid, a blind nil being 0."""
        bids = {action["seat"]: action["bid"] for action in self._said("bid")}
        return {**bids, **dict.fromkeys(self._blind_bidders(), 0)}

    def _exchange_seats(self):
        """Spades: a blind bidder and a partner who is not blind."""
        blind = self._blind_bidders()
        return [seat for seat in range(4) if (seat in blind) != ((seat + 2) % 4 in blind)]

    def asked(self):
        phase = self.phase
        answered = [action["seat"] for action in self._said(phase)]
        if phase == "pass":
            return [seat for seat in range(self.players) if seat not in answered]
        if phase == "blind":
            return [seat for seat in self._blind_seats() if seat not in answered]
        if phase == "exchange":
            return [seat for seat in self._exchange_seats() if seat not in answered]
        if phase == "bid":
            in_turn = [(self.dealer + 1 + i) % 4 for i in range(4)]
            return [seat for seat in in_turn if seat not in self._bids()][:1]
        if phase == "play":
            return [(self.leader + len(self._current_trick())) % self.players]
        if phase == "moon":
            return [self._shooter()]
        return []

    def legal(self, seat):
        if seat not in self.asked():
            return []
        phase = self.phase
        hand = self.hands[seat]
        if phase == "pass":
            actions = [{"kind": "pass", "seat": seat, "cards": list(cards)} for cards in combinations(hand, 3)]
            if self._may_skip(seat):
                actions.append({"kind": "skip", "seat": seat})
        elif phase == "blind":
            actions = [{"kind": "blind", "seat": seat, "blind": blind} for blind in (True, False)]
        elif phase == "bid":
            actions = [{"kind": "bid", "seat": seat, "bid": bid} for bid in range(14)]
        elif phase == "exchange":
            actions = [{"kind": "exchange", "seat": seat, "cards": list(cards)} for cards in combinations(hand, 2)]
        elif phase == "moon":
            actions = [{"kind": "moon", "seat": seat, "choice": choice} for choice in ("add", "subtract")]
        else:
            barred = self.barred(seat)
            actions = [{"kind": "play", "seat": seat, "card": card} for card in hand if card not in barred]
            if not self._current_trick() and self.kind == "hearts" and self._points_are_settled():
                actions.append({"kind": "finish", "seat": seat})
            if not self._current_trick() and self.kind == "spades" and self._wins_the_rest(seat):
                actions.append({"kind": "finish", "seat": seat, "cards": hand})
        return actions

    def _may_skip(self, seat):
        has_used_it = any(action["kind"] == "skip" and action["seat"] == seat for action in self.log)
        return self.options["skip_right"] == "one_each" and self.attempt == 0 and not has_used_it

    def _points_are_settled(self):
        """Hearts: every card that scores lies in a full trick (a card in the kitty does not)."""
        public = [card for trick in self._full_tricks() for _, card in trick]
        scoring = [card for card in self.deck if is_point_card(card)]
        if self.options["jack_of_diamonds"] == "minus_ten":
            scoring.append("JD")
        return all(card in public for card in scoring)

    def _wins_the_rest(self, seat):
        """Spades: each card of this hand wins when led, in any order, whoever holds the unseen cards.

        Whoever failed to follow a suit has none of it. A seat that has more cards left than it can hold outside a suit
        holds some of that suit for certain, and has to follow with it.
        """
        hand = self.hands[seat]
        played = [action["card"] for action in self._said("play")]
        unseen = [card for card in self.deck if card not in hand and card not in played]
        if any(suit_of(o) == suit_of(c) and height(o) > height(c) for c in hand for o in unseen):
            return False
        for other in range(4):
            possible = [card for card in unseen if suit_of(card) not in self._shown_voids(other)]
            if other == seat or not any(suit_of(card) == "S" for card in possible):
                continue
            for suit in "CDH":
                led = len([card for card in hand if suit_of(card) == suit])
                outside = len([card for card in possible if suit_of(card) != suit])
                if led > 0 and len(self.hands[other]) - outside < led:
                    return False
        return True

    def _shown_voids(self, seat):
        """The suits that this seat failed to follow in this deal."""
        return {
            suit_of(trick[0][1])
            for trick in self._full_tricks()
            for who, card in trick
            if who == seat and suit_of(card) != suit_of(trick[0][1])
        }

    def barred(self, seat):
        if self.phase != "play" or seat not in self.asked():
            return {}
        left = self.hands[seat]
        barred = {}
        for code, unwanted in self._filters():
            kept = [card for card in left if not unwanted(card)]
            if kept:
                barred.update({card: code for card in left if card not in kept})
                left = kept
        return barred

    def _filters(self):
        """(code, which cards go), in order; one that would leave nothing is ignored."""
        trick = self._current_trick()
        leads = not trick
        trick_one = not self._full_tricks()
        opening_card = self._opening_card()
        broken = self.broken
        filters = []
        if leads and trick_one and opening_card is not None:
            filters.append(("must_lead_opening_card", lambda card: card != opening_card))
        if not leads:
            filters.append(("must_follow_suit", lambda card: suit_of(card) != suit_of(trick[0][1])))
        if self.kind == "spades":
            if leads and not broken:
                filters.append(("spades_not_broken", lambda card: suit_of(card) == "S"))
            return filters
        if leads and not broken:
            filters.append(("hearts_not_broken", lambda card: suit_of(card) == "H"))
        if self.options["heart_discard"] == "after_break" and not broken:
            filters.append(("hearts_held_back", lambda card: suit_of(card) == "H"))
        if trick_one and self.options["first_trick_points"] == "no":
            filters.append(("no_points_first_trick", is_point_card))
        return filters

    def default(self, seat):
        """What the clock plays for a seat; None if the seat is not asked."""
        if seat not in self.asked():
            return None
        phase = self.phase
        hand = by_rank(self.hands[seat])
        if phase == "pass":
            return {"kind": "pass", "seat": seat, "cards": in_deck_order(hand[-3:])}
        if phase == "blind":
            return {"kind": "blind", "seat": seat, "blind": False}
        if phase == "bid":
            return {"kind": "bid", "seat": seat, "bid": max(1, len([card for card in hand if card[0] in "AK"]))}
        if phase == "exchange":
            return {"kind": "exchange", "seat": seat, "cards": in_deck_order(hand[:2])}
        if phase == "moon":
            return {"kind": "moon", "seat": seat, "choice": self._default_moon_choice(seat)}
        barred = self.barred(seat)
        return {"kind": "play", "seat": seat, "card": next(card for card in hand if card not in barred)}

    def _default_moon_choice(self, seat):
        after_add = self._hearts_scores("add")
        after_subtract = self._hearts_scores("subtract")
        add_ends_it = self._reason([*self._totals(), after_add]) is not None
        alone_in_first = all(after_add[seat] < after_add[other] for other in range(self.players) if other != seat)
        if not add_ends_it or alone_in_first:
            return "add"
        return "add" if self._places(after_add)[seat] < self._places(after_subtract)[seat] else "subtract"

    # ---- what happens ----------------------------------------------------------------------------------------

    def apply(self, action):
        action = dict(action)
        if action["kind"] in ("pass", "exchange", "finish") and "cards" in action:
            action["cards"] = in_deck_order(action["cards"])
        if action["kind"] in ("open", "deal"):
            if self.phase != action["kind"]:
                raise ValueError(f"not now: {action}")
            if action["kind"] == "deal" and in_deck_order(action["pack"]) != self.deck:
                raise ValueError("not the pack of this table")
        elif action not in self.legal(action["seat"]):
            raise ValueError(f"not legal: {action}")
        self.log.append(action)
        if not self._since_dealt() or not self._play_is_over():
            return
        if self.kind == "spades":
            scores, bags = self._spades_scores()
        elif self.options["moon"] != "choose" or self._shooter() is None:
            scores, bags = self._hearts_scores(self.options["moon"]), []
        elif self._said("moon"):
            scores, bags = self._hearts_scores(self._said("moon")[0]["choice"]), []
        else:
            return  # the shooter is asked first
        self.sheet.append({"scores": scores, "bags": bags, "log_length": len(self.log)})

    # ---- scoring ---------------------------------------------------------------------------------------------

    def _shooter(self):
        """Hearts: the seat that took every penalty card in play, or None."""
        needed = [card for card in self.deck if is_point_card(card)]
        if self.options["jack_in_moon"] == "required":
            needed.append("JD")
        for seat, taken in enumerate(self._taken()):
            if all(card in taken for card in needed):
                return seat
        return None

    def _hearts_points(self, moon):
        """What this deal is worth to each seat, a moon being treated as `moon` says (off, add, subtract)."""
        taken = self._taken()
        points = [sum(13 if card == "QS" else 1 for card in cards if is_point_card(card)) for cards in taken]
        shooter = self._shooter()
        if shooter is not None and moon == "add":
            points = [0 if seat == shooter else 26 for seat in range(self.players)]
        if shooter is not None and moon == "subtract":
            points = [-26 if seat == shooter else 0 for seat in range(self.players)]
        if self.options["jack_of_diamonds"] == "minus_ten":
            points = [points[seat] - 10 if "JD" in taken[seat] else points[seat] for seat in range(self.players)]
        return points

    def _hearts_scores(self, moon):
        """The scores with this deal added."""
        return [score + points for score, points in zip(self.scores, self._hearts_points(moon), strict=True)]

    def _spades_points(self):
        """(points, bags) of this deal per side, without the penalty for bags."""
        won = [0, 0, 0, 0]
        for trick in self._full_tricks():
            won[self._winner(trick)] += 1
        for action in self._said("finish"):
            won[action["seat"]] += 13 - len(self._full_tricks())
        all_points, all_bags = [], []
        for side in (0, 1):
            contract = contract_tricks = points = bags = 0
            for seat in (side, side + 2):
                if self._bids()[seat] > 0:
                    contract += self._bids()[seat]
                    contract_tricks += won[seat]
                else:
                    worth = 200 if seat in self._blind_bidders() else 100
                    points += worth if won[seat] == 0 else -worth
                    bags += won[seat]
            if contract_tricks >= contract:
                points += 10 * contract
                bags += contract_tricks - contract
            else:
                points -= 10 * contract
            all_points.append(points + bags)
            all_bags.append(bags)
        return all_points, all_bags

    def _spades_scores(self):
        """(scores, bags) with this deal added and each full ten of bags charged."""
        points, new_bags = self._spades_points()
        scores = [self.scores[side] + points[side] for side in (0, 1)]
        bags = [self.bags[side] + new_bags[side] for side in (0, 1)]
        for side in (0, 1):
            while self.options["bag_penalty"] == "yes" and bags[side] >= 10:
                bags[side] -= 10
                scores[side] -= 100
        return scores, bags

    def _totals(self):
        """The scores after each finished deal."""
        return [line["scores"] for line in self.sheet]

    @property
    def scores(self):
        if self.sheet:
            return list(self.sheet[-1]["scores"])
        return [0] * (2 if self.kind == "spades" else self.players)

    @property
    def bags(self):
        if self.kind == "hearts":
            return []
        return list(self.sheet[-1]["bags"]) if self.sheet else [0, 0]

    # ---- the end ---------------------------------------------------------------------------------------------

    def result(self):
        totals = self._totals()
        reason = self._reason(totals)
        if reason is None:
            return None
        return {"placings": self._places(totals[-1]), "scores": list(totals[-1]), "reason": reason}

    def _places(self, scores):
        """The place of each seat: one more than the number of sides that did better than its own."""
        if self.kind == "spades":
            sides = [1 + len([other for other in scores if other > mine]) for mine in scores]
            return [sides[0], sides[1], sides[0], sides[1]]
        return [1 + len([other for other in scores if other < mine]) for mine in scores]

    def _reason(self, totals):
        """Why the game is over when the scores after each deal were `totals`, or None."""
        if not totals:
            return None
        now = totals[-1]
        if self.kind == "spades":
            if now[0] != now[1] and self.options["floor"] == "yes" and min(now) <= -200:
                return "floor"
            if now[0] != now[1] and max(now) >= self.options["target"]:
                return "target"
            return "deal_cap" if len(totals) >= LAST_DEAL else None
        if self._is_over_the_line(now) and not self._needs_extra_deal(now):
            return "target"
        if len(totals) >= LAST_DEAL:
            return "deal_cap"
        extra_deals = 0  # those just played in a row: each follows a deal that needed one
        for scores in reversed(totals[:-1]):
            if not self._needs_extra_deal(scores):
                break
            extra_deals += 1
        if extra_deals >= EXTRA_DEALS and self._needs_extra_deal(now):
            return "deal_cap"
        return None

    def _is_over_the_line(self, scores):
        if self.options["end_test"] == "reach":
            return max(scores) >= self.options["end_score"]
        return max(scores) > self.options["end_score"]

    def _needs_extra_deal(self, scores):
        tied = scores.count(min(scores)) > 1
        return self._is_over_the_line(scores) and tied and self.options["tie_for_first"] == "play_on"
