/** Of every route that takes credits: a settled receipt of the requests of its group, whose lines sum to the charge. What was free has none. */
import type pg from 'pg'
import type { Route } from '#platform/http'
import type { RouteGroup } from '../../../scripts/answers/requests.ts'
import { groupsOf } from '../../../scripts/answers/requests.ts'
import { routes } from '../../../src/capabilities.ts'
import { type SettledCharge, settledCharges, wrongExplanation } from '../../harness/charge-lines.ts'
import { until } from '../../harness/until.ts'

/** The name under which a route settles, where that is not its path. */
const settledAs: Readonly<Record<string, string>> = {
  '/v1/agents/{id}/runs': '/v1/agents/runs',
  '/v1/talk/messages/{id}/answers': '/v1/talk/messages',
}

/** Routes of this group that take credits and have no explained charge, and charges that their lines do not explain. */
export async function unexplainedCharges(db: pg.Client, group: RouteGroup): Promise<string[]> {
  const query = async <Row>({ text }: { text: string }, values: readonly unknown[] = []): Promise<Row[]> =>
    (await db.query(text, [...values])).rows as Row[]
  await until(async () => (await query({ text: 'select from ledger.holds limit 1' })).length === 0)
  const { charges } = await settledCharges({ query })
  const wrong = charges.flatMap((one) => wrongExplanation(exact(one)) ?? [])
  const explained = new Set(charges.filter(({ charge }) => charge).map(({ endpoint }) => endpoint))
  const paid = routes.filter((route: Route) => isPaid(route) && groupsOf(route.path).includes(group))
  const lacking = paid
    .filter(({ path }) => !explained.has(settledAs[path] ?? path))
    .map(
      ({ path }) => `${path} has settled nothing that is explained; there are ${[...explained].join(', ')}`,
    )
  return [...wrong, ...lacking]
}

/** Figures of the plain client are texts. */
const exact = (settled: SettledCharge): SettledCharge => ({
  ...settled,
  held: BigInt(settled.held),
  charged: BigInt(settled.charged),
  lost: settled.lost === null ? null : BigInt(settled.lost),
})

/** Voice calls are made by tests/voice, whose receipts are held against their lines after each file; a call that nobody joins costs nothing. */
const isPaid = ({ path, errors }: Route): boolean =>
  !path.startsWith('/v1/realtime') && errors.includes('INSUFFICIENT_CREDITS')
