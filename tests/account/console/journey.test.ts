/** People in a browser, from an empty installation on: one browser and one server for all that is shown of the console. */
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startMs } from '../../harness/until.ts'
import { readsCharges } from './charges.ts'
import { expectWhole } from './looks.ts'
import { ownsData } from './own-data.ts'
import {
  comesIn,
  forgetsPassword,
  invitesSomebody,
  makesKey,
  makesPasskey,
  setsUpTotp,
  signsInAgain,
} from './people.ts'
import { signsInByPhone } from './phones.ts'
import { runsAProgram } from './programs.ts'
import { browserPath, ConsoleScene, type Tab } from './scene.ts'
import { seesSpending } from './spending.ts'
import { gainNothing, signInAfresh } from './strangers.ts'

if (browserPath === undefined)
  console.warn('The console is not looked at: there is no Chromium on this machine.')

/** The same, run at its first call and awaited by all. */
function once(part: () => Promise<void>): () => Promise<void> {
  let run: Promise<void> | undefined
  return () => {
    run ??= part()
    return run
  }
}

// In any order the account of the first person would be one that others have filled and spent from.
describe.skipIf(browserPath === undefined)('in a browser', { shuffle: false }, () => {
  let scene: ConsoleScene
  /** Of the first person; each test goes on where the one before it has left. */
  let tab: Tab
  // What a later test begins with: one that runs alone goes through it first.
  const cameIn = once(() => comesIn(scene, tab))
  const hasPasskey = once(async () => {
    await cameIn()
    await makesPasskey(scene, tab)
  })
  beforeAll(async () => {
    scene = await ConsoleScene.open()
    tab = await scene.tab()
  }, startMs)
  afterAll(() => scene?.[Symbol.asyncDispose]())

  describe('people', () => {
    test('come in by the printed link, sign out and in again, in both languages and on a phone', cameIn)

    test('whose session has ended while a page is open renew it in a dialog, and the page stays', async () => {
      await cameIn()
      await signsInAgain(scene, tab)
    })

    test('make a key that the official client uses, and prove anew who they are once the proof is ten minutes old', async () => {
      await cameIn()
      await makesKey(scene, tab)
    })

    test('give a program a key that makes keys within its bounds, and take both back', async () => {
      await cameIn()
      await runsAProgram(scene, tab)
    })

    test('invite somebody by mail, who accepts in another browser and stands among the members', async () => {
      await cameIn()
      await invitesSomebody(scene, tab)
    })

    test('make a passkey on the page of their profile, sign in with it and prove by it who they are', () =>
      hasPasskey())

    test('set up an authenticator app, whose code is asked at the next sign-in', async () => {
      await hasPasskey()
      await setsUpTotp(scene, tab)
    })

    test('see why calls of several kinds cost what the ledger says, find one by its idempotency key, and see a new one come', () =>
      readsCharges(scene))

    test('see where the credit went, to the micro-credit of the ledger, on the page and in the file of it', () =>
      seesSpending(scene))

    test('add a phone number, and sign in with a code that is sent to it', () => signsInByPhone(scene))

    test('take their own data along, have the account deleted, and take that back', () => ownsData(scene))

    test('replace a forgotten password by the link of a mail', () => forgetsPassword(scene))
  })

  describe('every page', () => {
    test.each([
      ['fa', 'light'],
      ['en', 'dark'],
    ] as const)(
      'in %s and %s, with hostile names in it, is whole on a wide screen and on a phone, and nothing in it runs',
      (locale, scheme) => expectWhole(scene, { locale, scheme }),
    )
  })

  describe('strangers', () => {
    test('whose pages have another origin read nothing, change nothing, open no WebSocket and show the console in no frame', () =>
      gainNothing(scene))

    test('who planted a session or an address to return to have neither the person’s session nor the person', () =>
      signInAfresh(scene, ['//evil.example/a']))
  })
})
