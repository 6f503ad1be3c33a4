/** People come in, make keys, forget passwords and prove who they are, as they do it by hand. */
import OpenAI from 'openai'
import { expect } from 'vitest'
import { endSessions, personByEmail } from '#account/people'
import { keysWords } from '../../../console/pages/keys/keys.words.ts'
import { newKeyWords } from '../../../console/pages/keys/new-key.words.ts'
import { membersWords } from '../../../console/pages/members/members.words.ts'
import { factorWords } from '../../../console/pages/profile/factors.words.ts'
import { shellWords } from '../../../console/shell/shell.words.ts'
import { linkWords } from '../../../console/sign-in/link.words.ts'
import { signInWords } from '../../../console/sign-in/sign-in.words.ts'
import { stepUpWords } from '../../../console/step-up/step-up.words.ts'
import { totpOf } from '../../harness/totp.ts'
import { addVirtualAuthenticator } from '../../harness/virtual-authenticator.ts'
import { type ConsoleScene, type Locale, password, phone, type Tab, wide } from './scene.ts'

const email = 'sara@example.ir'

/** Signs in by the form that is shown, wherever it stands. */
async function signIn(tab: Tab, locale: Locale, given = password): Promise<void> {
  const words = signInWords[locale]
  await tab.page.getByLabel(words.email).fill(email)
  await tab.page.getByLabel(words.password, { exact: true }).fill(given)
  await tab.page.getByRole('button', { name: words.submit, exact: true }).click()
}

async function signOut({ page }: Tab, name: string): Promise<void> {
  await page.getByRole('button', { name }).click()
  await page.getByRole('button', { name: shellWords.fa.signOut }).click()
  await page.getByRole('heading', { name: signInWords.fa.title }).waitFor()
}

/** From the printed link of an empty installation to Home, out, and in again. */
export async function comesIn(scene: ConsoleScene, tab: Tab): Promise<void> {
  const { page } = tab
  const [fa, en] = [signInWords.fa, signInWords.en]
  await tab.open(scene.world.kherad.firstLink!)
  await page.getByLabel(fa.name).fill('سارا رضایی')
  await page.getByLabel(fa.email).fill(email)
  await page.getByLabel(fa.password, { exact: true }).fill('1234567')
  await page.getByRole('button', { name: linkWords.fa.create }).click()
  // The refusal stands beside the field, in the words of the API.
  await page.locator('[id$="-error"]', { hasText: 'گذرواژه' }).waitFor()
  expect(tab.takeFaults(400)).toEqual([])
  await page.getByLabel(fa.password, { exact: true }).fill(password)
  await page.getByRole('button', { name: linkWords.fa.create }).click()
  await page.getByRole('heading', { level: 1, name: 'سارا رضایی' }).waitFor()
  expect(await page.getByRole('region', { name: 'اعتبار قابل خرج' }).innerText()).toContain('۱٬۰۰۰')

  // ⌘K opens the palette by the place of the key, and Escape gives the page back.
  await page.keyboard.press('Control+KeyK')
  await page.getByRole('option', { name: 'خانه' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('option').first().waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'سارا رضایی' }).click()
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
  expect(await page.evaluate('document.documentElement.lang + document.documentElement.dir')).toBe('enltr')
  await page.setViewportSize(phone)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: shellWords.en.menu }).first().click()
  await page.getByRole('button', { name: 'سارا رضایی' }).click()
  await page.getByRole('button', { name: shellWords.en.signOut }).click()
  await page.getByRole('heading', { name: en.title }).waitFor()
  await signIn(tab, 'en')
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
  await page.setViewportSize(wide)
  expect(tab.takeFaults()).toEqual([])
}

/** The session ends behind the open page. */
export async function signsInAgain(scene: ConsoleScene, tab: Tab): Promise<void> {
  const { page } = tab
  const { app } = scene.world
  const { personId } = (await personByEmail(app.db, email))!
  await app.db.tx((tx) => endSessions(tx, personId, {}, new Date(app.clock.nowMs())))
  await page.getByRole('button', { name: shellWords.en.project }).click()
  await page.locator('button[aria-pressed="true"]').first().click()
  const dialog = page.getByRole('dialog', { name: shellWords.en.signInAgain })
  await dialog.waitFor()
  await signIn(tab, 'en')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('region', { name: 'Credit to spend' }).waitFor()
  expect(tab.takeFaults(401)).toEqual([])
}

/** From the list of keys to a call of the official client. */
export async function makesKey(scene: ConsoleScene, tab: Tab): Promise<void> {
  const { page } = tab
  await tab.choose('fa')
  scene.clock.moveMs(601_000)
  await page.getByRole('link', { name: keysWords.fa.title, exact: true }).click()
  await page.getByRole('link', { name: keysWords.fa.make }).first().click()
  await page.getByLabel('نام', { exact: true }).fill('برنامهٔ من')
  await page.getByRole('button', { name: newKeyWords.fa.submit }).click()
  const dialog = page.getByRole('dialog', { name: shellWords.fa.stepUp })
  await dialog.getByLabel(stepUpWords.fa.password, { exact: true }).fill(password)
  await dialog.getByRole('button', { name: stepUpWords.fa.confirm, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const secret = await page
    .getByText(/^khr_\w+$/)
    .first()
    .innerText()
  const client = new OpenAI({ baseURL: `${scene.origin}/v1`, apiKey: secret, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'سلام' }]
  const { choices } = await client.chat.completions.create({ model: 'sandbox/fast', messages })
  expect(choices[0]!.message.content).not.toBe('')
  expect(await page.locator('pre').first().innerText()).toContain(secret)
  // The secret was shown this once; a page on which it was not copied asks before it goes.
  await page.getByRole('button', { name: 'رونوشت' }).first().click()
  await page.getByRole('link', { name: keysWords.fa.title, exact: true }).last().click()
  await page.getByRole('link', { name: 'برنامهٔ من' }).waitFor()
  expect(await page.content()).not.toContain(secret)
  expect(tab.takeFaults(403)).toEqual([])
}

/** Proves the address, makes a passkey, signs in with it, and begins to set up an authenticator app, for which it is asked. */
export async function makesPasskey(scene: ConsoleScene, tab: Tab): Promise<void> {
  const { page } = tab
  await tab.choose('fa')
  await addVirtualAuthenticator(page)
  const { mails, origin } = scene
  // A second factor is for whoever has proven their address.
  await tab.open('/profile?tab=sign-in')
  await page.getByRole('button', { name: 'فرستادن کد تأیید' }).click()
  await page.getByLabel(signInWords.fa.code).fill(await scene.codeTo(email))
  await page.getByText('نشانی شما تأیید شد.').waitFor()
  await tab.open('/profile?tab=factors')
  await page.getByRole('button', { name: factorWords.fa.addPasskey }).click()
  await page.getByLabel(factorWords.fa.name).fill('لپ‌تاپ')
  await page.getByRole('button', { name: factorWords.fa.create, exact: true }).click()
  await page.getByRole('button', { name: factorWords.fa.kept }).click()
  await page.getByText('لپ‌تاپ').waitFor()
  expect(mails.to(email).length).toBeGreaterThan(0)

  await signOut(tab, 'سارا رضایی')
  await page.getByRole('button', { name: signInWords.fa.byPasskey }).click()
  await page.getByRole('heading', { level: 1, name: 'سارا رضایی' }).waitFor()
  expect(page.url()).toBe(`${origin}/`)
  scene.clock.moveMs(601_000)
  await tab.open('/profile?tab=factors')
  await page.getByRole('button', { name: factorWords.fa.addTotp }).click()
  await page.getByRole('button', { name: factorWords.fa.continue }).click()
  const dialog = page.getByRole('dialog', { name: shellWords.fa.stepUp })
  await dialog.getByRole('button', { name: signInWords.fa.usePasskey }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(tab.takeFaults(403)).toEqual([])
}

/** Goes on where makesPasskey has begun. */
export async function setsUpTotp(scene: ConsoleScene, tab: Tab): Promise<void> {
  const { page } = tab
  const { clock } = scene
  const shown = page.getByRole('dialog', { name: factorWords.fa.addTotp }).locator('code')
  const secret = (await shown.innerText()).replace(/\s/g, '')
  await page.getByLabel(factorWords.fa.thenCode).fill(totpOf(secret, clock.nowMs()))
  await page.getByText(factorWords.fa.wasAdded).waitFor()
  await signOut(tab, 'سارا رضایی')
  await signIn(tab, 'fa')
  await page.getByRole('heading', { name: signInWords.fa.secondTitle }).waitFor()
  // A code is taken once, so that of the next half minute.
  clock.moveMs(30_000)
  await page.getByLabel(signInWords.fa.code).fill(totpOf(secret, clock.nowMs()))
  await page.getByRole('heading', { level: 1, name: 'سارا رضایی' }).waitFor()
  expect(tab.takeFaults()).toEqual([])
}

/** Of somebody else, in a browser of their own. */
export async function forgetsPassword(scene: ConsoleScene): Promise<void> {
  const person = 'mina@example.ir'
  const { passwords } = scene.world.app
  const passwordHash = await passwords.hash('tests', 'a password that is forgotten')
  await using guest = await scene.memberTab('viewer', { email: person, passwordHash, locale: 'en' })
  await guest.context.clearCookies()
  const { page } = guest
  await guest.open('/sign-in')
  await page.getByRole('link', { name: signInWords.en.forgot }).click()
  await page.getByLabel(signInWords.en.email).fill(person)
  await page.getByRole('button', { name: signInWords.en.recoverySend }).click()
  // The link of a mail opens a tab of its own.
  await using linked = await scene.tab({ context: guest.context })
  await linked.open(await scene.linkTo(person))
  await linked.page.getByLabel(signInWords.en.newPassword, { exact: true }).fill('four new words of rain')
  await linked.page.getByRole('button', { name: signInWords.en.save }).click()
  await linked.page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
  expect(linked.takeFaults()).toEqual([])
  await guest.open('/sign-in')
  await page.getByLabel(signInWords.en.email).fill(person)
  await page.getByLabel(signInWords.en.password, { exact: true }).fill('four new words of rain')
  await page.getByRole('button', { name: signInWords.en.submit, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
  expect(guest.takeFaults()).toEqual([])
}

/** From the page of members through the mail to a second person, in a browser of their own and in the other language. */
export async function invitesSomebody(scene: ConsoleScene, tab: Tab): Promise<void> {
  const guest = 'daniel@example.ir'
  const [words, en] = [membersWords.fa, signInWords.en]
  await tab.choose('fa')
  await tab.open('/members')
  await tab.page.getByRole('button', { name: words.invite }).first().click()
  const dialog = tab.page.getByRole('dialog', { name: words.inviteTitle })
  await dialog.getByLabel(words.email).fill(guest)
  await dialog.getByRole('button', { name: 'English' }).click()
  await dialog.getByRole('button', { name: words.send }).click()
  await dialog.waitFor({ state: 'detached' })
  await tab.page.getByRole('main').getByText(guest).first().waitFor()

  await using second = await scene.tab({ locale: 'en', viewport: phone })
  const { page } = second
  await second.open(await scene.linkTo(guest))
  await page.getByRole('link', { name: linkWords.en.toSignUp }).click()
  await page.getByLabel(en.name).fill('Daniel Weber')
  await page.getByLabel(en.email).fill(guest)
  await page.getByLabel(en.passwordOptional).fill('several words of a second person')
  await page.getByRole('button', { name: en.continue }).click()
  await page.getByLabel(en.code).fill(await scene.codeTo(guest, 2))
  await page.getByRole('heading', { level: 1, name: 'Daniel Weber' }).waitFor()
  expect(second.takeFaults()).toEqual([])
  await tab.open('/members')
  await tab.page.getByRole('main').getByText('Daniel Weber').first().waitFor()
  expect(tab.takeFaults()).toEqual([])
}
