/** A person adds a phone number on the page of their profile, and signs in with it in another browser, as they do it by hand. */
import { expect } from 'vitest'
import { phoneWords } from '../../../console/pages/profile/phone.words.ts'
import { shellWords } from '../../../console/shell/shell.words.ts'
import { signInWords } from '../../../console/sign-in/sign-in.words.ts'
import { type ConsoleScene, phone as phoneSize } from './scene.ts'

const number = '09123456789'
const typed = '۰۹۱۲ ۳۴۵ ۶۷۸۹'

export async function signsInByPhone(scene: ConsoleScene): Promise<void> {
  await using tab = await scene.memberTab('developer')
  const { page } = tab
  const [words, fa] = [phoneWords.fa, signInWords.fa]
  await tab.open('/profile?tab=sign-in')
  await page.getByRole('button', { name: words.add }).click()
  await page.getByLabel(words.number).fill(typed)
  await page.getByRole('button', { name: words.sendCode }).click()
  // The sixth digit sends the code.
  await page.getByLabel(fa.code).fill(await scene.messages.codeTo(number))
  await page.getByText(typed).waitFor()
  expect(tab.takeFaults()).toEqual([])

  scene.clock.moveMs(60_000)
  await using other = await scene.tab({ viewport: phoneSize })
  await other.open('/sign-in')
  await other.page.getByLabel(fa.emailOrPhone).fill(typed)
  // The API takes no password with a number, which the page says.
  await other.page.getByLabel(fa.password, { exact: true }).waitFor({ state: 'detached' })
  await other.page.getByText(fa.phoneHint).waitFor()
  expect(await other.page.getByRole('button', { name: fa.byCode }).count()).toBe(0)
  await other.page.getByRole('button', { name: fa.sendMessage }).click()
  await other.page.getByRole('heading', { name: fa.messageTitle }).waitFor()
  const field = other.page.getByLabel(fa.code)
  expect([await field.getAttribute('autocomplete'), await field.getAttribute('inputmode')]).toEqual([
    'one-time-code',
    'numeric',
  ])
  const code = await scene.messages.codeTo(number, 2)
  await field.fill(code.replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)]!))
  await other.page.getByRole('button', { name: shellWords.fa.menu }).first().waitFor()
  expect(other.takeFaults()).toEqual([])
}
