/** Where the credits went: people find a call and read why it cost what it cost. */
import { expect } from 'vitest'
import { chargeWords } from '../../../console/pages/requests/charge.words.ts'
import { requestsWords } from '../../../console/pages/requests/requests.words.ts'
import type { Client } from '../../harness/client.ts'
import { hostileTexts } from './hostile.ts'
import { expectHarmless } from './looks.ts'
import { seriousViolations } from './reading.ts'
import type { ConsoleScene, Locale, Tab } from './scene.ts'

const hello = (text: string) => ({ messages: [{ role: 'user', content: text }], max_tokens: 100 })

/** Calls of several kinds; their ids in the order in which they were made. */
async function makeCalls(key: Client): Promise<string[]> {
  const ids: string[] = []
  const make = async (path: string, body: object, headers: Record<string, string> = {}): Promise<void> => {
    const { headers: answered } = await key.post(path, body, headers)
    ids.push(answered.get('x-request-id')!)
  }
  const named = { 'idempotency-key': 'order-17:1', 'x-reference-id': 'order-17' }
  await make('/v1/chat/completions', { model: 'sandbox/fast', ...hello('[[sandbox: cached=4]] سلام') }, named)
  await make('/v1/chat/completions', { model: 'sandbox/fast', ...hello('[[sandbox: fault=unavailable]]') })
  await make('/v1/images/generations', { model: 'sandbox/image', prompt: 'a cat', size: '64x64', n: 2 })
  await make('/v1/embeddings', { model: 'sandbox/embedding', input: 'کتاب' })
  return ids
}

const inLatin = (text: string): string =>
  text.replace(/[۰-۹]/g, (digit) => String(digit.codePointAt(0)! - 0x6f0))

/** The amounts of the open sum in units of its last decimal; the last one is the charge. */
async function sumShown({ page }: Tab, locale: Locale): Promise<{ amounts: bigint[]; scale: bigint }> {
  const cells = page.getByRole('region', { name: chargeWords[locale].sum }).locator('tbody tr td:last-child')
  const texts = (await cells.allInnerTexts()).map((text) => inLatin(text).replace(/[^\d.٫-]/g, ''))
  const decimals = texts.map((text) => text.split(/[.٫]/)[1]?.length ?? 0)
  expect(new Set(decimals).size, 'all amounts have as many decimals').toBeLessThanOrEqual(1)
  return {
    amounts: texts.map((text) => BigInt(text.replace(/[.٫]/, ''))),
    scale: 10n ** BigInt(decimals[0] ?? 0),
  }
}

/** What is shown adds up to the charge in the ledger, to the micro-credit. */
async function expectSum(scene: ConsoleScene, tab: Tab, id: string, locale: Locale): Promise<void> {
  const receipt = (await scene.world.app.ledger.receiptOfAccount(scene.world.account, id))!
  const { amounts, scale } = await sumShown(tab, locale)
  const charged = amounts.at(-1) ?? 0n
  expect(charged * 1_000_000n, id).toBe(receipt.charged * scale)
  const lines = amounts.slice(0, -1)
  expect(
    lines.reduce((sum, amount) => sum + amount, 0n),
    id,
  ).toBe(charged)
}

/** Opens calls of several kinds in both languages, finds one by its idempotency key, cuts the list, and sees a new call come. */
export async function readsCharges(scene: ConsoleScene): Promise<void> {
  const { world } = scene
  const key = await world.key()
  const ids = await makeCalls(key)
  await world.settled()
  await using tab = await scene.memberTab('owner', { displayName: 'سارا رضایی' })
  const { page } = tab
  for (const locale of ['fa', 'en'] as const) {
    const words = requestsWords[locale]
    await tab.open('/requests')
    await tab.choose(locale)
    for (const id of ids) {
      await page.locator(`#request-${id}`).click()
      await page.getByRole('region', { name: chargeWords[locale].facts }).getByText(id).waitFor()
      await expectSum(scene, tab, id, locale)
    }
    // What axe finds depends on no language.
    if (locale === 'fa') expect(await seriousViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: chargeWords[locale].facts }).waitFor({ state: 'detached' })
    // The idempotency key leads to its one call.
    await page.getByRole('searchbox', { name: words.search }).fill('order-17:1')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: chargeWords[locale].facts }).getByText(ids[0]!).waitFor()
    expect(new URL(page.url()).searchParams.get('open')).toBe(ids[0])
  }
  await tab.open('/requests?state=failed')
  expect(await page.locator('a[id^="request-"]').count()).toBe(1)

  // A new call comes by itself; a name that a stranger has chosen is only shown.
  await tab.open('/requests')
  const fresh = await key.chat(
    { model: 'sandbox/fast', max_tokens: 10 },
    { 'x-customer-id': hostileTexts[0], 'x-reference-id': hostileTexts[1] },
  )
  await page.mouse.move(0, 0)
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
  await page.locator(`#request-${fresh.headers.get('x-request-id')}`).click()
  await page.getByRole('region', { name: chargeWords.en.facts }).getByText(hostileTexts[0]).waitFor()
  await expectHarmless(tab, '/requests')
  expect(tab.takeFaults()).toEqual([])
}
