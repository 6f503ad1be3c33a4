import { uuidv7 } from '#platform/ids'
import { callName } from '#voice/realtime'
import type { World } from '../harness/world.ts'

/** A call of the world's account that has ended, by its row alone: 60.5 seconds, 2.5 credits. Returns its id as people see it. */
export async function insertCallRow(world: World, { turns }: { turns: number }): Promise<string> {
  const callId = uuidv7()
  const at = new Date(world.app.clock.nowMs())
  await world.app.db.kysely
    .insertInto('realtime.calls')
    .values({
      ...{ account_id: world.account, call_id: callId, project_id: world.project, key_id: uuidv7() },
      ...{ receipt_id: uuidv7(), process_id: uuidv7(), transport: 'websocket', engine: 'pipeline' },
      ...{ model: 'sandbox/realtime', agent_id: null, customer_id: null, status: 'ended', reason: 'client' },
      ...{ turns, tick_at: at, end_asked_at: null, created_at: at, connected_at: at, expires_at: at },
      ...{ ended_at: new Date(at.getTime() + 60_500), charged: 2_500_000n, file_id: null },
      ...{ secret_hash: null, store: false, sound: null },
    })
    .execute()
  return callName(callId)
}
