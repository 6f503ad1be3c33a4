/** The client as it is, on a dedicated cloud: every public method of the installed one does what it is for, in Node and in Chromium, or is refused in words. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { declarationOf } from '#platform/errors'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { refused, sentenceOf } from '../../cloud/supabase-js/answers.ts'
import { type App, type AppWorld, bootApp, runSql } from '../../cloud/supabase-js/app.ts'
import { openMailbox } from '../../cloud/supabase-js/mailbox.ts'
import { mailed } from '../../cloud/supabase-js/mails.ts'
import type { Person } from '../../cloud/supabase-js/people.ts'
import { realtime } from '../../cloud/supabase-js/realtime.ts'
import { refusals } from '../../cloud/supabase-js/refusals.ts'
import { scenarios as onBoth } from '../../cloud/supabase-js/scenarios.ts'
import { takeCalled, watchClasses } from '../../cloud/supabase-js/spy.ts'
import { publicCalls } from '../../cloud/supabase-js/surface.ts'
import { browserPath, openBrowser } from '../../media/browser.ts'
import { publish } from '../../sites/visitor.ts'
import { buckets } from './buckets.ts'
import { bundle, emptyPage } from './bundle.ts'
import type { List, Outcome } from './page-of-scenarios.ts'
import { onlyTables, tablesSql } from './tables.ts'

const canRun = await hasJail()
/** What a browser is told that sends the service key. */
const exposed = declarationOf('CLOUD_SERVICE_KEY_EXPOSED').en({})
const scenarios = [...onBoth, ...onlyTables, ...buckets, ...realtime]
const refusedHere = refusals.filter(({ call }) => Object.values(refused.dedicated).flat().includes(call))
const stack = new AsyncDisposableStack()
let all: AppWorld
let mailing: AppWorld
beforeAll(async () => {
  watchClasses()
  if (!canRun) return
  const mailbox = stack.use(await openMailbox())
  ;[all, mailing] = await Promise.all([
    bootApp({ plan: 'dedicated' }),
    bootApp({ plan: 'dedicated', mailbox }),
  ])
  stack.use(all)
  stack.use(mailing)
  await runSql(all.world, all.cloud, tablesSql)
})
afterAll(() => stack.disposeAsync())

test('every public method of the installed client has a test on a dedicated cloud, and none is refused beside what is published', () => {
  const works = [...scenarios, ...mailed].flatMap(({ calls }) => calls)
  const tested = new Set([...works, ...refusedHere.map(({ call }) => call)])
  expect(publicCalls().filter((call) => !tested.has(call))).toEqual([])
  const published = Object.values(refused.dedicated).flat()
  const byChannels = realtime.flatMap(({ calls }) => calls)
  expect(
    published.filter((call) => !refusedHere.some((one) => one.call === call) && !byChannels.includes(call)),
  ).toEqual([])
  expect(Object.keys(refused.dedicated).toSorted()).toEqual([
    'analytics',
    'formats',
    'lifecycle',
    'mfa',
    'oauth',
    'oauth_server',
    'passkeys',
    'realtime',
    'sso',
    'vectors',
    'web3',
  ])
})

for (const form of ['path', 'host'] as const)
  describe.runIf(canRun)(`by the ${form} of the cloud`, () => {
    let person: Person
    beforeAll(async () => {
      person = await all.apps[form].person()
    })
    const runs =
      (app: App, { calls, run }: (typeof scenarios)[number]) =>
      async () => {
        takeCalled()
        await run(app)
        const called = takeCalled()
        expect(calls.filter((call) => !called.has(call))).toEqual([])
      }

    test.each(scenarios)('$name', (one) => runs(all.apps[form], one)())
    test.each(mailed)('$name', (one) => runs(mailing.apps[form], one)())
    test.each(refusedHere)('$call is refused with its sentence', async ({ call, run }) => {
      takeCalled()
      const error = await run(all.apps[form], person)
      expect(takeCalled()).toContain(call)
      expect(error).toMatchObject({ message: expect.stringContaining(sentenceOf(call, 'dedicated')) })
    })

    test.skipIf(browserPath === undefined)(
      'a page in Chromium does all of it, but what takes the service key, which no browser may send',
      async () => {
        const browser = await openBrowser(stack)
        const files = { 'index.html': emptyPage, 'app.js': await bundle('page-of-scenarios.ts') }
        const site = await publish(await all.world.key(), { files })
        const run = async ({ apps, cloud, serviceKey }: AppWorld, list: List): Promise<Outcome[]> => {
          const app = apps[form]
          await using tab = await browser.newPage()
          // Playwright's own is half a minute.
          tab.setDefaultTimeout(120_000)
          for (const name of ['collection', 'bucket', 'deploy', 'newestMail', 'press'] as const)
            await tab.exposeFunction(name, app[name])
          await tab.goto(site.url)
          const given = {
            url: app.url,
            key: cloud.publicKey,
            serviceKey,
            says: app.says,
            refused: refusedHere.map(({ call }) => call),
          }
          return (await tab.evaluate(`app.runList('${list}', ${JSON.stringify(given)})`)) as Outcome[]
        }
        const outcomes = [...(await run(all, 'scenarios')), ...(await run(mailing, 'mailed'))]
        expect(outcomes.map(({ name }) => name)).toEqual([...scenarios, ...mailed].map(({ name }) => name))
        expect(outcomes.filter(({ usesService }) => usesService).length).toBeGreaterThan(3)
        for (const { name, usesService, error } of outcomes)
          expect([name, error]).toEqual([name, usesService ? exposed : undefined])
        const refusedThere = new Map((await run(all, 'refusals')).map((one) => [one.name, one]))
        for (const { call } of refusedHere) {
          const { usesService, error } = refusedThere.get(call)!
          const sentence = usesService ? exposed : sentenceOf(call, 'dedicated')
          expect([call, error]).toEqual([call, expect.stringContaining(sentence)])
        }
      },
    )
  })
