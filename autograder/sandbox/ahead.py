"""Send questions before their turn: a student's process answers them while the judge looks at earlier answers."""

from collections.abc import Callable, Sequence

from autograder.records import Call
from autograder.sandbox.conversation import AHEAD, Conversation
from autograder.sandbox.wire.messages import Ask

Order = Sequence[Call | None]


class Ahead:
    """The order in which calls will probably be asked, and which of them were sent to the present child already.

    None in the order is where nothing is sent ahead: something else is asked there.
    """

    def __init__(self, order: Order = ()):
        self._order = order
        self._place = {call: place for place, call in enumerate(order) if call is not None}
        self._sent: dict[Call, Ask] = {}

    def before(self, call: Call | None) -> list[Call]:
        """What was sent before this call; all that was sent, if it was not."""
        if not self._sent or call is next(iter(self._sent)):      # the usual cases
            return []
        sent = list(self._sent)
        return sent[:sent.index(call)] if call in self._sent else sent

    def has(self, call: Call) -> bool:
        """Whether it was sent, and its reply has not been taken."""
        return call in self._sent

    def take(self, call: Call) -> Ask | None:
        """The question that was sent for this call, if there is one. Its reply is the next to come."""
        return self._sent.pop(call, None)

    def forget(self) -> None:
        """The child has ended: nothing that was sent to it will be answered."""
        self._sent.clear()

    def send(self, child: Conversation, call: Call, may_go: Callable[[Call], bool], question: Callable[[Call], Ask]
             ) -> None:
        """Send what will probably be asked after this call, up to the first that may not go ahead."""
        place = self._place.get(call)
        following = () if place is None else self._order[place + 1:place + 1 + AHEAD]
        for one in following:
            if one in self._sent:
                continue
            if one is None or not may_go(one) or not child.send_ahead(ask := question(one)):
                return
            self._sent[one] = ask
