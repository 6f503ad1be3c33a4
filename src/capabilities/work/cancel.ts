import { baseUrlOf, JsonText } from '#platform/http'
import { record } from '#platform/ledger'
import { countMoney, endRun } from './end.ts'
import { tellRun } from './events/store.ts'
import { notFound, ownRun, placeOf, type RunAsk } from './read.ts'
import { shownRun } from './shown.ts'
import { changeRun, lockRun } from './store.ts'
import { endings } from './words.ts'

/** A run that nobody works on ends here and now; otherwise its worker is told within a second. One that has ended stays as it is. */
export async function cancelRun(ask: RunAsk): Promise<JsonText> {
  const { app, caller, claim, language } = ask
  const place = placeOf(await ownRun(ask, 'work:write'))
  const now = new Date(app.clock.nowMs())
  const { run, settled, reply } = await app.db.tx(async (tx) => {
    const found = await lockRun(tx, place)
    if (!found) return notFound()
    const settled = found.ended_at ? undefined : await end(found)
    const run = (await lockRun(tx, place))!
    const reply = JSON.stringify(shownRun(run, { baseUrl: baseUrlOf(ask), language }))
    const recorded = { payer: caller, receiptId: ask.requestId, endpoint: '/v1/work/cancel', claim }
    if (claim) await record(tx, { ...recorded, statusCode: 200, reply }, now)
    return { run, settled, reply }

    async function end(run: NonNullable<typeof found>) {
      if (run.owner === null) return endRun(app, tx, run, { status: 'cancelled', words: endings.cancelled })
      if (run.cancel_requested_at) return undefined
      await changeRun(tx, place, { status: 'cancelling', cancel_requested_at: now })
      await tellRun(tx, place, 'cancelling', {}, now)
      return undefined
    }
  })
  if (settled) countMoney(app, run, settled)
  return new JsonText(reply)
}
