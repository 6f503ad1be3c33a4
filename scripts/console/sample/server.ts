/** A server of its own for pictures of the console, whose clock stands at a day of the sample. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildIfStale } from '#account/console-build'
import { readEnv } from '#platform/config'
import { loadConfig } from '#settings'
import { startKherad } from '../../../src/server.ts'
import { freePort } from '../../../tests/harness/free-port.ts'
import { MailServer } from '../../../tests/harness/mail-server.ts'
import { SmsGateway } from '../../../tests/harness/sms-gateway.ts'
import { MovableClock, makePeople, silent, World } from '../../../tests/harness/world.ts'
import { modelsConfig, openUpstream } from './upstream.ts'

export interface SampleServer {
  world: World
  clock: MovableClock
  mails: MailServer
  messages: SmsGateway
  origin: string
}

/** Starts it at this time, with an account of so many credits; stopped with the stack. */
export async function openSampleServer(
  stack: AsyncDisposableStack,
  { startMs, credits }: { startMs: number; credits: number },
): Promise<SampleServer> {
  await buildIfStale()
  const mails = stack.use(await MailServer.start())
  const messages = stack.use(await SmsGateway.start())
  const clock = new MovableClock(startMs)
  const upstream = stack.use(await openUpstream((ms) => clock.moveMs(ms)))
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-sample-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const env = readEnv({
    ...{ KHERAD_PORT: String(port), KHERAD_BASE_URL: origin, KHERAD_DATA: folder },
    ...{ KHERAD_APPS_PORT: String(await freePort()), OLLAMA_HOST: '', KHERAD_LOG_LEVEL: 'silent' },
  })
  const config = `${mails.config}${messages.config()}net: { allow_cidrs: [127.0.0.0/8] }\n${modelsConfig(upstream.url)}`
  const violations: string[] = []
  const kherad = stack.use(
    await startKherad({
      config: loadConfig(env, config),
      ...{ log: silent, clock },
      onViolation: ({ operation, what }) => violations.push(`${operation}: ${what}`),
    }),
  )
  const ids = await makePeople(kherad, credits)
  const world = new World(kherad, ids, violations, new AsyncDisposableStack())
  return { world, clock, mails, messages, origin }
}
