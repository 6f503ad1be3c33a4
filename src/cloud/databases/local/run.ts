import { readFile, rm } from 'node:fs/promises'
import { alreadyRunningExitCode, type JailedServer, startServerInJail } from '#platform/jail'
import type { LocalContext } from './local.ts'

/**
 * Runs a program that ends by itself. Returns 0, or `isRunningAlready` where another program of this database runs; otherwise throws with its last
 * words.
 */
export async function runServer(
  context: LocalContext,
  server: JailedServer,
  user: number | undefined,
): Promise<number> {
  await rm(server.logFile, { force: true })
  const { ended } = await startServerInJail(context.tools, server, user)
  // The program outlives this process and does not keep it alive, but its end is waited for.
  const waiting = setInterval(() => undefined, 60_000)
  const code = await ended.finally(() => clearInterval(waiting))
  if (code === 0 || code === alreadyRunningExitCode) return code
  const logText = await readFile(server.logFile, 'utf8').catch(() => '')
  throw new Error(`${server.program} ended with ${code}: ${logText.slice(-1_000)}`)
}
