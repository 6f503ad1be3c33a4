/** A person takes their own data along, has the account deleted, and takes that back. */
import { readFile } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import { expect } from 'vitest'
import { closingCardWords } from '../../../console/pages/account/closing-card.words.ts'
import { ownDataWords } from '../../../console/pages/profile/own-data.words.ts'
import { closingWords } from '../../../console/shell/closing.words.ts'
import { until } from '../../harness/until.ts'
import { type ConsoleScene, phone, type Tab } from './scene.ts'

export async function ownsData(scene: ConsoleScene): Promise<void> {
  const { account, project, client } = await scene.world.stranger()
  await using tab = await scene.memberTab('owner', { account, project, displayName: 'مینا کریمی' })
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

  // The banner stands above every page, and leads to where an owner takes it back.
  await page.setViewportSize(phone)
  await tab.open('/')
  await tab.choose('en')
  await page.getByRole('button', { name: closingWords.en.undoLink }).click()
  await page.getByRole('heading', { name: en.pendingTitle }).waitFor()
  // The link of the banner bears the same name, and stands above.
  await page.getByRole('button', { name: en.undo, exact: true }).last().click()
  await page.getByRole('heading', { name: en.title }).waitFor()
  await page.getByRole('button', { name: closingWords.en.undoLink }).waitFor({ state: 'detached' })
  await until(async () => (await client.get('/v1/models')).status === 200)
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
