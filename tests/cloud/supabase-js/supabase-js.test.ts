/** The client as it is: every public method of the installed one has a passing test here, or a refusal whose sentence is tested. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { families, local, refused, sentenceOf } from './answers.ts'
import { type AppWorld, bootApp } from './app.ts'
import { guide } from './guide.ts'
import { openMailbox } from './mailbox.ts'
import { mailed } from './mails.ts'
import type { Person } from './people.ts'
import { realtime } from './realtime.ts'
import { refusals } from './refusals.ts'
import { scenarios } from './scenarios.ts'
import { takeCalled, watchClasses } from './spy.ts'
import { publicCalls, unseenObjects } from './surface.ts'

const mailbox = await openMailbox()
const refusedByChannels = ['subscribe', 'send', 'httpSend', 'track', 'untrack'].map(
  (name) => `channel().${name}`,
)

let all: AppWorld
let mailing: AppWorld
beforeAll(async () => {
  watchClasses()
  all = await bootApp()
  mailing = await bootApp({ mailbox })
})
afterAll(async () => {
  await mailing[Symbol.asyncDispose]()
  await all[Symbol.asyncDispose]()
  await mailbox[Symbol.asyncDispose]()
})

test('every public method of the installed client has a test, and no test is of a method that is gone', () => {
  const tested = [
    ...[...scenarios, ...realtime, ...mailed].flatMap(({ calls }) => calls),
    ...refusals.map(({ call }) => call),
  ]
  const calls = publicCalls()
  expect(calls.filter((call) => !tested.includes(call))).toEqual([])
  expect(tested.filter((call) => !calls.includes(call))).toEqual([])
  expect(
    [...Object.values(refused.starter).flat(), ...local].filter((call) => !calls.includes(call)),
  ).toEqual([])
  expect(unseenObjects()).toEqual([])
})

test('what is refused is exactly what has a test of its sentence', () => {
  const tested = [...refusals.map(({ call }) => call), ...refusedByChannels]
  expect(Object.values(refused.starter).flat().toSorted()).toEqual(tested.toSorted())
})

test('the published table is that of the installed client, in both languages', async () => {
  const published = (name: string) =>
    readFile(new URL(`../../../docs/guides/cloud/${name}`, import.meta.url), 'utf8')
  expect(await published('supabase-js.md')).toBe(guide('en'))
  expect(await published('supabase-js.fa.md')).toBe(guide('fa'))
})

for (const form of ['path', 'host'] as const)
  describe(`by the ${form} of the cloud`, () => {
    let person: Person
    beforeAll(async () => {
      person = await all.apps[form].person()
    })

    test.each([...scenarios, ...realtime])('$name', async ({ calls, run }) => {
      takeCalled()
      await run(all.apps[form])
      const called = takeCalled()
      expect(calls.filter((call) => !called.has(call))).toEqual([])
    })

    test.each(mailed)('$name', async ({ calls, run }) => {
      takeCalled()
      await run(mailing.apps[form])
      const called = takeCalled()
      expect(calls.filter((call) => !called.has(call))).toEqual([])
    })

    test('rows of another collection within rows are refused with their sentence', async () => {
      const { error } = await person.client.from('any').select('*, customers(*)')
      expect(error).toMatchObject({ message: families.embeds.says.en })
    })

    test.each(refusals)('$call is refused with its sentence', async ({ call, run }) => {
      takeCalled()
      const error = await run(all.apps[form], person)
      expect(takeCalled()).toContain(call)
      expect(error).toMatchObject({ message: expect.stringContaining(sentenceOf(call, 'starter')) })
    })
  })
