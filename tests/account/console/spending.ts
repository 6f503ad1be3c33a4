/** Somebody asks where the credit went: sums on the page, in the API, in the ledger and in the exported files. */
import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { usageWords } from '../../../console/pages/usage/usage.words.ts'
import { pieceWords } from '../../../console/pieces/pieces.words.ts'
import type { Client } from '../../harness/client.ts'
import { type ConsoleScene, type Locale, phone, type Tab } from './scene.ts'

const customers = ['shop-17', 'مشتری‌ها', '=1+1', '<script>globalThis.hostile = 1</script>'] as const
const models = ['sandbox/fast', 'sandbox/reasoner'] as const

/** An account that has spent on some models, for some customers and for none, and a call that has failed. */
export async function spendingAccount(
  scene: ConsoleScene,
): Promise<{ account: string; project: string; client: Client; granted: bigint }> {
  const { account, project, client } = await scene.world.stranger(100)
  for (const [at, customer] of [...customers, ...customers.slice(0, 2), undefined].entries()) {
    const headers =
      customer === undefined ? {} : { 'x-customer-id': Buffer.from(customer).toString('latin1') }
    const body = { model: models[at % models.length], max_tokens: 20 }
    const reply = await client.chat(body, headers)
    expect(reply.status, reply.text).toBe(200)
  }
  const failed = { model: models[0], messages: [{ role: 'user', content: '[[sandbox: fault=unavailable]]' }] }
  await client.chat(failed)
  await scene.world.settled()
  return { account, project, client, granted: 100_000_000n }
}

/** What the table of the page says, cell by cell; the last row is its sum. */
export const tableOf = ({ page }: Tab): Promise<string[][]> =>
  page
    .locator('main table')
    .last()
    .evaluate((table) =>
      [...(table as unknown as { rows: { cells: { innerText: string }[] }[] }).rows].map((row) =>
        [...row.cells].map((cell) => cell.innerText.trim()),
      ),
    )

/** As credits in the digits of the language, with so many decimals at least. */
export function exact(locale: Locale, microcredits: bigint, least = 6): string {
  const digits = String(microcredits).padStart(7, '0')
  return new Intl.NumberFormat(locale === 'fa' ? 'fa-IR' : 'en-US', {
    ...{ minimumFractionDigits: least, maximumFractionDigits: 6 },
  }).format(`${digits.slice(0, -6)}.${digits.slice(-6)}` as `${number}`)
}

/** Of credits as a file writes them, such as `1.5`. */
function microcredits(credits: string): bigint {
  const [whole = '', fraction = ''] = credits.replaceAll('"', '').split('.')
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
}

/** From the page to one customer and back, in both languages, on a phone too. */
export async function seesSpending(scene: ConsoleScene): Promise<void> {
  const { account, project, client, granted } = await spendingAccount(scene)
  const { balance } = await scene.world.app.ledger.balance(account)
  const spent = granted - balance
  await using tab = await scene.memberTab('owner', { account, project })
  const { page } = tab
  for (const locale of ['fa', 'en'] as const) {
    const words = usageWords[locale]
    await tab.open('/usage?split=customer&compare=none')
    await tab.choose(locale)
    await page.getByRole('button', { name: words.xlsx }).waitFor()
    const rows = await tableOf(tab)
    expect(rows.at(-1)?.at(-1)).toBe(exact(locale, spent))
    // All customers, those of none, the line of titles and that of the sum.
    expect(rows).toHaveLength(customers.length + 3)

    await page.getByRole('button', { name: 'shop-17' }).click()
    await page.waitForURL(/customer=shop-17/)
    await page.getByRole('button', { name: words.clear }).waitFor()
    await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' })
    const { body } = await client.get('/v1/account/usage?customer_id=shop-17')
    const figure = page.locator('main section[aria-label]').first()
    const ofCustomer = exact(locale, BigInt(body.totals.microcredits), 0)
    expect(await figure.innerText()).toContain(pieceWords[locale].exact(ofCustomer))
    await figure.getByRole('button', { name: pieceWords[locale].exact(ofCustomer) }).press('Enter')
    await figure.locator('span[aria-hidden="true"]').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: words.clear }).waitFor({ state: 'detached' })
  }
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: usageWords.en.csv }).click(),
  ])
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  expect(lines).toHaveLength(customers.length + 2)
  const credits = lines[0]!.split(',').indexOf('Credits')
  // No name of these has a comma.
  const sum = lines.slice(1).reduce((total, line) => total + microcredits(line.split(',')[credits]!), 0n)
  expect(sum).toBe(spent)
  await page.setViewportSize(phone)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(phone.width)
  expect(await page.evaluate('globalThis.hostile')).toBeUndefined()
  expect(tab.takeFaults()).toEqual([])
}
