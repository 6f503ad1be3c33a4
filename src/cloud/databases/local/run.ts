import { readFile, rm } from 'node:fs/promises'
import { isRunningAlready, type JailedServer, startServerInJail } from '#platform/jail'
import type { LocalContext } from './local.ts'

/** A program that ends by itself. Its code where another one of this database runs; throws with what it wrote last. */
export async function runServer(
  context: LocalContext,
  server: JailedServer,
  user: number | undefined,
): Promise<number> {
  await rm(server.logFile, { force: true })
  const { ended } = await startServerInJail(context.tools, server, user)
  // What outlives a process does not keep it alive, but this is waited for.
  const waiting = setInterval(() => undefined, 60_000)
  const code = await ended.finally(() => clearInterval(waiting))
  if (code === 0 || code === isRunningAlready) return code
  const said = await readFile(server.logFile, 'utf8').catch(() => '')
  throw new Error(`${server.program} ended with ${code}: ${said.slice(-1_000)}`)
}
