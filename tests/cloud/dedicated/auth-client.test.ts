/** Every call of the installed client that signs people in, on a dedicated cloud: the same tests as on a Starter cloud (../supabase-js). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dedicatedConfig } from '../../harness/world.ts'
import { hasJail } from '../jail/needs-jail.ts'
import { families, refused } from '../supabase-js/answers.ts'
import { type AppWorld, bootApp } from '../supabase-js/app.ts'
import { mailed, openMailbox } from '../supabase-js/mails.ts'
import { familyOf, refusals } from '../supabase-js/refusals.ts'
import { scenarios } from '../supabase-js/scenarios.ts'
import { takeCalled, watchClasses } from '../supabase-js/spy.ts'
import { publicCalls } from '../supabase-js/surface.ts'

const canRun = await hasJail()
const it = test.runIf(canRun)
const mailbox = await openMailbox()
let plain: AppWorld
let mailing: AppWorld
beforeAll(async () => {
  if (!canRun) return
  watchClasses()
  const both = ['', mailbox.config].map((more) => bootApp(dedicatedConfig + more, 'dedicated'))
  ;[plain, mailing] = (await Promise.all(both)) as [AppWorld, AppWorld]
})
afterAll(async () => {
  await mailing?.[Symbol.asyncDispose]()
  await plain?.[Symbol.asyncDispose]()
  await mailbox[Symbol.asyncDispose]()
})

const isAuth = (call: string) => call.startsWith('auth.')
const own = scenarios.filter(({ calls }) => calls.every(isAuth))
const withMails = mailed(mailbox).filter(({ calls }) => calls.every(isAuth))
const refusedCalls = refusals.filter(({ call }) => isAuth(call))

test('every call that signs people in is tested here, or refused', () => {
  const tested = [...own, ...withMails].flatMap(({ calls }) => calls)
  const all = new Set([...tested, ...Object.values(refused).flat()])
  expect(publicCalls().filter((call) => isAuth(call) && !all.has(call))).toEqual([])
})

const run = async ({ calls, run: work }: (typeof scenarios)[number], world: AppWorld): Promise<void> => {
  takeCalled()
  await work(world.apps.path, world)
  const called = takeCalled()
  expect(calls.filter((call) => !called.has(call))).toEqual([])
}

for (const scenario of own) it(scenario.name, () => run(scenario, plain))
for (const scenario of withMails) it(scenario.name, () => run(scenario, mailing))

it('what is refused has the same sentence as on a Starter cloud', async () => {
  const app = plain.apps.path
  const person = await app.person()
  for (const { call, run: work } of refusedCalls)
    expect(await work(app, person, plain), call).toMatchObject({ message: families[familyOf(call)].says.en })
})
