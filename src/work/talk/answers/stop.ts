/** Stops an answer under way: what came is kept and charged. */
import { setTimeout as pause } from 'node:timers/promises'
import { steadyClock } from '#platform/clock'
import type { MessageRow } from '../tables.ts'
import type { AnswersContext } from './app.ts'
import { runnerOf } from './runner.ts'
import { requireMessage } from './send.ts'
import { showMessages } from './shown-message.ts'

/** How long the request waits for the end of the answer; it ends all the same afterwards. */
const waitMs = 8_000
const lookMs = 100
/** The order is given anew so often, in case the notification of another process was missed. */
const orderMs = 1_000

export async function stopAnswer(context: AnswersContext<unknown, { id: string }>): Promise<object> {
  const { app, params, gone } = context
  const runner = runnerOf(app)
  const endMs = steadyClock.nowMs() + waitMs
  let orderedMs = Number.NEGATIVE_INFINITY
  let row: MessageRow = await requireMessage(context, params.id)
  while (row.state === 'streaming' && !gone.aborted && steadyClock.nowMs() < endMs) {
    if (steadyClock.nowMs() - orderedMs >= orderMs) {
      orderedMs = steadyClock.nowMs()
      await runner.stop(params.id)
    }
    await pause(lookMs)
    row = await requireMessage(context, params.id)
  }
  const [message] = await showMessages(app, [row])
  return message!
}
