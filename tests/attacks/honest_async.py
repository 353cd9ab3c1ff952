"""Coroutines: asyncio by hand, and a queue."""
import asyncio
import contextlib
import queue


async def work(number):
    await asyncio.sleep(0.001)
    return number * 2


async def main():
    results = await asyncio.gather(*map(work, range(5)))
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(asyncio.sleep(5), 0.01)
    return results

print(asyncio.run(main()))
waiting = queue.Queue()
waiting.put(1), print(waiting.get(timeout=1))
