"""Headless Chromium for tests, driven from a thread of its own.

Its driver needs an event loop, and a thread that runs one has other database connections than the test. So a test waits
for the driver here, and what a page asks of Python is done by the waiting test, inside its own transaction.
"""

import asyncio
import inspect
import shutil
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import Any

from playwright.async_api import Browser, async_playwright
from playwright.async_api import expect as expect_async

DEADLINE = 30
"""Seconds without any news, after which a test fails instead of waiting on."""
NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Driver:
    """An event loop in a thread, and the errands that it has for the thread that waits for it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._errands: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = Thread(target=self.loop.run_forever, name="browser", daemon=True)
        self._thread.start()

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What the function returns in the loop's thread, awaited where it is awaitable."""

        async def called() -> Any:
            found = function(*args, **kwargs)
            return await found if inspect.isawaitable(found) else found

        future = asyncio.run_coroutine_threadsafe(called(), self.loop)
        future.add_done_callback(lambda _: self._errands.put(None))
        while (errand := self._errands.get(timeout=DEADLINE)) is not None:
            errand()
        return future.result()

    def here(self, function: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
        """A coroutine function for the loop, which has the waiting thread call this one with its one argument."""

        async def sent(argument: Any) -> Any:
            answer: asyncio.Future[Any] = self.loop.create_future()

            def errand() -> None:
                try:
                    found = function(argument)
                except Exception as error:
                    self.loop.call_soon_threadsafe(answer.set_exception, error)
                else:
                    self.loop.call_soon_threadsafe(answer.set_result, found)

            self._errands.put(errand)
            return await answer

        return sent

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class Waited:
    """An object of the driver's whose methods return when they are done: `page.click(…)` without `await`."""

    def __init__(self, driver: Driver, wrapped: Any) -> None:
        self.driver = driver
        self.wrapped = wrapped

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.wrapped, name)
        if not callable(found):
            return self._waited(found)
        return lambda *args, **kwargs: self._waited(self.driver.run(found, *args, **kwargs))

    def _waited(self, found: Any) -> Any:
        if isinstance(found, list):
            return [self._waited(one) for one in found]
        return Waited(self.driver, found) if type(found).__module__.startswith("playwright.") else found


def expect(locator: Waited) -> Any:
    """Playwright's assertions, which hold as soon as they become true."""
    return Waited(locator.driver, expect_async(locator.wrapped))


@contextmanager
def launched(executable: str) -> Iterator[Waited]:
    """A running browser; its `new_context` makes a profile of its own."""
    driver = Driver()
    playwright = driver.run(async_playwright().start)
    browser: Browser = driver.run(playwright.chromium.launch, executable_path=executable, args=["--no-sandbox"])
    try:
        yield Waited(driver, browser)
    finally:
        driver.run(browser.close)
        driver.run(playwright.stop)
        driver.close()
