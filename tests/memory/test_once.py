from threading import Event, Thread

from memory.once import once


class Text:
    def __init__(self) -> None:
        self.looked = Event()
        self.waits_for: Event | None = None
        self.times = 0

    @once
    def words(self) -> bool:
        """Whether what it waits for came."""
        self.times += 1
        self.looked.set()
        return self.waits_for is None or self.waits_for.wait(10)


def test_what_is_worked_out_for_one_on_a_thread_keeps_no_other_waiting() -> None:
    long, short = Text(), Text()
    long.waits_for = short.looked
    reading = Thread(target=lambda: long.words)
    reading.start()
    assert long.looked.wait(10)
    assert short.words
    reading.join()
    assert long.words
    assert (long.times, short.times) == (1, 1)
    assert Text.words.__doc__ == "Whether what it waits for came."
