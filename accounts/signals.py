"""What other apps answer to. Each is sent inside the transaction that makes it true."""

from django.dispatch import Signal

#: A guest has logged in to an account. Arguments: `guest`, `member`. Whatever refers to the guest goes to the member.
#: A receiver may return the number of things that could not be moved.
merging = Signal()

#: Somebody wants everything that is stored about him. Arguments: `user`. A receiver returns (title, JSON-able
#: value); an iterator of such values where they are many, which keeps no cursor open between two of them.
exporting = Signal()

#: An account is being closed. Arguments: `user`. Personal data goes; what others need stays.
closing = Signal()
