/** Reads the environment, starts, says what a newcomer needs, waits for a signal, and stops in order. */
import { loadConfig, readConfigFile, readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { startKherad } from './server.ts'
import { refusal, welcome } from './words.ts'

const env = readEnv(process.env)
try {
  const config = loadConfig(env, readConfigFile(env))
  const kherad = await startKherad({ config })
  process.stdout.write(welcome(kherad))
  const signal = await stopSignal()
  kherad.app.log.info({ signal }, 'stopping')
  // A second signal, or a stop that hangs, ends the process at once; the next start recovers.
  process.once('SIGINT', () => process.exit(130))
  setTimeout(() => process.exit(1), config.timing.drainMs + 1500).unref()
  await kherad[Symbol.asyncDispose]()
  process.exit(0)
} catch (error) {
  if (!(error instanceof StartRefused) && !isPortTaken(error)) throw error
  process.stderr.write(refusal(error as Error, env))
  process.exit(1)
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve(name))
  })
}

function isPortTaken(error: unknown): boolean {
  const code = (error as { code?: string }).code
  return code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL'
}
