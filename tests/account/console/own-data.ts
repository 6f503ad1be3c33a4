/** A person takes their own data along, has the account deleted, and takes that back. */
import { readFile } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import { expect } from 'vitest'
import { closingCardWords } from '../../../console/pages/account/closing-card.words.ts'
import { ownDataWords } from '../../../console/pages/profile/own-data.words.ts'
import { pieceWords } from '../../../console/pieces/pieces.words.ts'
import { closingWords } from '../../../console/shell/closing.words.ts'
import { signInWords } from '../../../console/sign-in/sign-in.words.ts'
import { until } from '../../harness/until.ts'
import { type ConsoleScene, password, phone, type Tab } from './scene.ts'

export async function ownsData(scene: ConsoleScene): Promise<void> {
  const { account, project, client } = await scene.world.stranger()
  const passwordHash = await scene.world.app.passwords.hash('tests', password)
  const person = { displayName: 'مینا کریمی', email: 'mina.karimi@example.ir', passwordHash }
  await using tab = await scene.memberTab('owner', { account, project, ...person })
  await takesDataAlong(tab)

  const { name } = (await tab.member.get('/v1/account')).body
  const { page } = tab
  const [words, en] = [closingCardWords.fa, closingCardWords.en]
  await tab.open('/account')
  await page.getByRole('button', { name: words.verb }).click()
  const dialog = page.getByRole('dialog', { name: words.title })
  await dialog.getByRole('textbox').fill(name)
  await dialog.getByRole('button', { name: words.verb }).click()
  await page.getByRole('heading', { name: words.pendingTitle }).waitFor()
  await until(async () => (await client.get('/v1/models')).body.error?.code === 'ACCOUNT_CLOSING')

  // The banner stands above every page, that of the deletion too, and an owner takes it back there.
  await page.setViewportSize(phone)
  await tab.choose('en')
  await page.getByRole('heading', { name: en.pendingTitle }).waitFor()
  await page.getByRole('button', { name: closingWords.en.undo }).first().click()
  await page.getByText(closingWords.en.undone).waitFor()
  await page.getByRole('heading', { name: en.title }).waitFor()
  await page.getByRole('button', { name: closingWords.en.undo }).waitFor({ state: 'detached' })
  await until(async () => (await client.get('/v1/models')).status === 200)
  expect(tab.takeFaults()).toEqual([])
  await leavesAndReturns(tab, person)
}

/** The person has themselves deleted with their account, signs in once more, and takes that back: no page asks for what it would be refused. */
async function leavesAndReturns(
  tab: Tab,
  { displayName, email }: { displayName: string; email: string },
): Promise<void> {
  const { page } = tab
  const [words, own, signIn] = [closingWords.en, ownDataWords.en, signInWords.en]
  await tab.open('/profile?tab=leave')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: own.deleteVerb }).click()
  const dialog = page.getByRole('dialog', { name: own.deleteTitle })
  await dialog.getByLabel(pieceWords.en.typeName.you).fill(displayName)
  await dialog.getByRole('button', { name: own.deleteVerb }).click()
  await page.getByLabel(signIn.emailOrPhone).fill(email)
  await page.getByLabel(signIn.password, { exact: true }).fill(password)
  await page.getByRole('button', { name: signIn.submit, exact: true }).click()
  await page.getByRole('heading', { name: words.leavingTitle }).waitFor()
  await page.getByRole('button', { name: words.leavingUndo }).click()
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
  expect(tab.takeFaults()).toEqual([])
}

async function takesDataAlong(tab: Tab): Promise<void> {
  const { page } = tab
  const words = ownDataWords.fa
  await tab.open('/profile?tab=data')
  await page.getByRole('button', { name: words.ask }).click()
  const link = page.getByRole('link', { name: /^دریافت/ })
  await link.waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), link.click()])
  const entries = Object.entries(unzipSync(await readFile(await file.path())))
  const texts = entries.map(([, bytes]) => Buffer.from(bytes).toString('utf8'))
  expect(texts.some((text) => text.includes('مینا کریمی'))).toBe(true)
}
