/**
 * One server in this process, and of the routes of a group at least one success and one refusal: the requests of scripts/answers. Commands of
 * the operator run in this process too: of a recording each is a process, which took a third of all processor time of these tests.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import type { Operation } from '../../../scripts/answers/document.ts'
import { openReceiver } from '../../../scripts/answers/receiver.ts'
import { askSite } from '../../../scripts/answers/record.ts'
import type { RouteGroup } from '../../../scripts/answers/requests.ts'
import { addresses, bootstrapKey, configuration, type Site } from '../../../scripts/answers/site.ts'
import { openUpstream } from '../../../scripts/answers/upstream.ts'
import { done } from '../../cli/command-line.ts'
import { selfSigned } from '../../harness/certificate.ts'
import { MailServer } from '../../harness/mail-server.ts'
import { SmsGateway } from '../../harness/sms-gateway.ts'
import { boot } from '../../harness/world.ts'
import { AuditingRecorder } from './auditing-recorder.ts'
import { unexplainedCharges } from './charges.ts'

/** Holds statuses and codes of all answers against the list of the group, which `vitest run … -u` writes. */
export async function expectOutcomes(group: RouteGroup): Promise<void> {
  await using site = await openSiteHere()
  const recorderOf = (operations: readonly Operation[]) => new AuditingRecorder(site, operations)
  const { recorder } = await askSite(site, [group], recorderOf)
  expect([...recorder.missing(), ...recorder.unrepeated(), ...recorder.unhidden()]).toEqual([])
  expect(await recorder.misaudited()).toEqual([])
  expect(await unexplainedCharges(site.db, group)).toEqual([])
  const outcomes = Object.entries(recorder.answers).map(([name, { status, body }]) => {
    const code = /"code":\s*"([A-Z_]+)"/.exec(body)?.[1]
    return `${status}${code === undefined ? '' : ` ${code}`}  ${name}\n`
  })
  await expect(outcomes.join('')).toMatchFileSnapshot(`${group}.txt`)
}

async function openSiteHere(): Promise<Site> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-answers-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const certified = selfSigned('localhost')
  const upstream = stack.use(await openUpstream())
  const receiver = stack.use(await openReceiver(certified))
  const mails = stack.use(await MailServer.start())
  const messages = stack.use(await SmsGateway.start())
  const certificate = path.join(folder, 'roots.pem')
  await writeFile(certificate, certified.cert)
  const config = configuration(upstream.url, certificate, { mails, messages })
  const configFile = path.join(folder, 'config.yaml')
  await writeFile(configFile, config)
  const world = stack.use(
    await boot({
      config,
      env: { ...addresses, KHERAD_BOOTSTRAP_KEY: bootstrapKey },
      timing: { dueTickMs: 20 },
    }),
  )
  const env = {
    ...addresses,
    DATABASE_URL: world.app.config.databaseUrl as string,
    KHERAD_DATA: world.app.config.dataDir,
    KHERAD_CONFIG: configFile,
  }
  const db = new pg.Client(env.DATABASE_URL)
  await db.connect()
  stack.defer(() => db.end())
  const open = stack.move()
  return {
    url: world.url,
    upstream,
    receiver,
    mails,
    messages,
    secret: bootstrapKey,
    db,
    cli: (...words) => done(env, ...words),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
