/** What the tests of `kherad reconcile` share: an invoice in a file, and the command run on it. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { UpstreamCall } from '../harness/upstream.ts'
import { temporaryFolder } from '../platform/db/cluster-world.ts'
import { kherad, type Ran } from './command-line.ts'

/** A day around now, so that no midnight comes in between. */
export const day = (offset: number): string =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
export const attemptOf = ({ headers }: UpstreamCall): string => String(headers['idempotency-key'])

/** Exact: prices are whole tenths of a micro-dollar. */
export const usd = (input: number, cached: number, output: number): string =>
  ((BigInt(input - cached) * 10n + BigInt(cached) + BigInt(output) * 20n) as unknown as bigint)
    .toString()
    .padStart(8, '0')
    .replace(/(\d{7})$/, '.$1')

export async function reconcile(
  world: { databaseUrl: string },
  provider: string,
  text: string,
  ...more: string[]
): Promise<Ran> {
  await using folder = await temporaryFolder('invoice-')
  const file = path.join(folder.path, 'invoice')
  await writeFile(file, text)
  const env = { DATABASE_URL: world.databaseUrl, KHERAD_DATA: folder.path, KHERAD_LOCALE: 'en' }
  const bounds = more.includes('--from') ? [] : ['--from', day(-1), '--to', day(1)]
  return await kherad(env, 'reconcile', '--provider', provider, ...bounds, '--invoice', file, ...more)
}

/** A run that has to answer. */
export function resultOf(ran: Ran): Ran['json'] {
  if (ran.json === undefined) throw new Error(ran.err)
  return ran.json
}
