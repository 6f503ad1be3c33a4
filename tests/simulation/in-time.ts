/** A stretch of virtual time for a test that says itself what happens in it. */
import { Random } from './random.ts'
import { bendTime, Timeline } from './timeline.ts'

/** Whose time it is: a process that lives and is never paused. */
export const owner = { alive: true, pausedUntilMs: 0, skewMs: 0 }

/** Runs `work` in virtual time. */
export async function inTime<Value>(work: (timeline: Timeline) => Promise<Value>): Promise<Value> {
  using _bent = bendTime()
  const timeline = new Timeline(new Random(1), Date.UTC(2026, 0, 1))
  let end: PromiseSettledResult<Value> | undefined
  void Promise.allSettled([timeline.as(owner, () => work(timeline))]).then(([settled]) => {
    end = settled
  })
  while (!end && timeline.nowMs < 600_000) await timeline.step(timeline.nowMs + 1_000)
  if (!end) throw new Error('it never came to its end')
  if (end.status === 'rejected') throw end.reason
  return end.value
}
