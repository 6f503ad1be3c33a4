/** Calls, and the secrets with which browsers begin them. */
import { offer } from '../../tests/voice/offer.ts'
import type { Recorder } from './recorder.ts'
import type { Site } from './site.ts'

const call = '0193d3c0-0000-7000-8000-00000000000c'

export async function askRealtime(recorder: Recorder, { db }: Site): Promise<void> {
  const secrets = '/v1/realtime/client_secrets'
  const session = { model: 'sandbox/realtime', instructions: 'کوتاه پاسخ بده', tracing: 'auto' }
  await recorder.ask('call: a secret for a browser', 'POST', secrets, { json: { session } })
  const short = { expires_after: { seconds: 9 }, session }
  await recorder.ask('call: a secret of nine seconds', 'POST', secrets, { json: short })
  await recorder.ask('call: a secret without a model', 'POST', secrets)
  // One that has ended; those that run are held open by their clients.
  await db.query(
    `insert into realtime.calls (account_id, call_id, project_id, key_id, receipt_id, process_id, transport, engine, model, status, reason,
      turns, tick_at, created_at, connected_at, expires_at, ended_at, charged, store, sound)
      select account_id, $1, project_id, key_id, $1, $1, 'websocket', 'pipeline', 'sandbox/realtime', 'ended', 'client',
        3, now(), now(), now(), now(), now() + interval '1 minute', 2500000, true, 'lost'
      from auth.keys order by key_id limit 1`,
    [call],
  )
  await db.query(
    `insert into realtime.transcripts (account_id, call_id, position, role, words, at_ms)
      select account_id, call_id, 0, 'user', 'می‌شود بلندتر بگویید؟', 1200 from realtime.calls where call_id = $1`,
    [call],
  )
  const calls = '/v1/realtime/calls'
  const name = `rtc_${call.replaceAll('-', '')}`
  await recorder.ask('calls', 'GET', calls)
  await recorder.ask('calls that run', 'GET', `${calls}?status=active`)
  await recorder.ask('call: one', 'GET', `${calls}/${name}`)
  await recorder.ask('call: ended by its body', 'DELETE', calls, { json: { id: name } })
  await recorder.ask('call: ended by nothing', 'DELETE', calls)
  await recorder.ask('call: ended by its path', 'DELETE', `${calls}/${name}`)
  await recorder.ask('call: hung up', 'POST', `${calls}/${name}/hangup`)
  const words = `${calls}/${name}/transcript`
  await recorder.ask('call: what was said', 'GET', words)
  await recorder.ask('call: what was said after its end', 'GET', `${words}?after=0&limit=1`)
  await recorder.ask('call: its words deleted', 'DELETE', words)
  await recorder.ask('call: its words that are gone', 'GET', words)
  await recorder.ask('call: of nobody', 'GET', `${calls}/rtc_${'0'.repeat(32)}`)
  const made = await recorder.ask('call: begun by a browser', 'POST', calls, {
    json: { sdp: offer, model: 'sandbox/realtime' },
  })
  await recorder.ask('call: that waits for its browser, hung up', 'POST', `${calls}/${made.id}/hangup`)
  await recorder.ask('call: begun by no offer', 'POST', calls, {
    raw: { type: 'application/sdp', body: 'v=1' },
  })
}
