/** The owner gives a program a key that acts for the account, and takes it back. */
import { expect } from 'vitest'
import { scopeWords } from '../../../console/pages/keys/scopes.words.ts'
import { endingWords } from '../../../console/pages/management-keys/ending-keys.words.ts'
import { managementWords } from '../../../console/pages/management-keys/management-keys.words.ts'
import { rightWords } from '../../../console/pages/management-keys/rights.words.ts'
import { oneMemberWords } from '../../../console/pages/members/one-member.words.ts'
import { pieceWords } from '../../../console/pieces/pieces.words.ts'
import { Client } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import type { ConsoleScene, Tab } from './scene.ts'

export async function runsAProgram(scene: ConsoleScene, tab: Tab): Promise<void> {
  const { page } = tab
  const words = managementWords.fa
  await tab.choose('fa')
  await tab.open('/management-keys')
  await page.getByRole('link', { name: words.make }).first().click()
  await page.getByLabel(words.name, { exact: true }).fill('فروشگاه')
  await page.getByLabel(rightWords.fa.rights['keys:write'].long).check()
  await page.getByLabel(scopeWords.fa.scopes['models:read'].long).check()
  await page.getByLabel(words.addresses).fill('۱۲۷.۰.۰.۰/8')
  await page.getByRole('button', { name: words.submit }).click()
  const secret = await page
    .getByText(/^khm_\w+$/)
    .first()
    .innerText()
  const { id } = /management-keys\/(?<id>[\w-]+)/.exec(page.url())!.groups!
  const program = new Client(scene.origin, secret, id!)
  const make = (scope: string) => program.post('/v1/keys', { name: 'مشتری', scopes: [scope] })
  expect((await make('models:read')).status).toBe(201)
  expect((await make('responses:write')).body.error.code).toBe('KEY_SCOPE_NOT_GIVEN')
  await page.getByRole('button', { name: 'رونوشت', exact: true }).first().click()
  // Whoever leaves, or removes its maker, reads its name before.
  await tab.open('/members')
  await page.getByRole('main').getByRole('link', { name: 'سارا رضایی' }).click()
  await page.getByRole('button', { name: oneMemberWords.fa.leave }).click()
  const leaving = page.getByRole('dialog', { name: oneMemberWords.fa.leave })
  expect(await leaving.getByText(endingWords.fa.these.you).innerText()).toContain('فروشگاه')
  await leaving.getByLabel(pieceWords.fa.typeName.account).waitFor()
  await page.keyboard.press('Escape')
  await tab.open('/management-keys')
  await page.getByRole('link', { name: 'فروشگاه' }).click()
  await page.getByRole('button', { name: words.revoke }).click()
  const dialog = page.getByRole('dialog', { name: words.revokeTitle })
  await dialog.getByLabel(words.revokeMade('۱')).check()
  await dialog.getByLabel(pieceWords.fa.typeName.thing).fill('فروشگاه')
  await dialog.getByRole('button', { name: words.revoke }).click()
  await page.getByText(words.revokedNotice).waitFor()
  await until(async () => (await make('models:read')).status === 401)
  expect(await page.content()).not.toContain(secret)
  expect(tab.takeFaults()).toEqual([])
}
