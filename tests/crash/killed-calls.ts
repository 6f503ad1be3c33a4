/** Calls of people whose server is killed (-9) at a step of theirs. One upstream answers all of them, each as its test says. */
import { expect } from 'vitest'
import { until } from '../harness/until.ts'
import { answer, type Script } from '../harness/upstream.ts'
import { openSite, type Person, type Site } from './site.ts'

export const credits = 1_000_000_000n
export const claim = { 'idempotency-key': 'order-1' }

/** A request names its person in the prompt, so that the upstream of all of them tells them apart. */
export const bodyOf = ({ account }: Person, more: object = {}) => ({
  max_tokens: 100,
  messages: [{ role: 'user', content: account }],
  ...more,
})
const whoAsks = (body: unknown): string => (body as { messages: [{ content: string }] }).messages[0].content

export class KilledCalls implements AsyncDisposable {
  readonly site: Site
  /** What the upstream does for whom. */
  readonly #scripts = new Map<string, () => Script | Promise<Script>>()

  static async open(): Promise<KilledCalls> {
    return new KilledCalls(await openSite())
  }

  private constructor(site: Site) {
    this.site = site
    site.upstream.reply((call) => this.#scripts.get(whoAsks(call.body))?.() ?? answer())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.site[Symbol.asyncDispose]()
  }

  /** What the upstream does for this person; otherwise it answers. */
  script({ account }: Person, script: () => Script | Promise<Script>): void {
    this.#scripts.set(account, script)
  }

  /** How often the upstream was asked for this person. */
  of({ account }: Person): number {
    return this.site.upstream.calls.filter(({ body }) => whoAsks(body) === account).length
  }

  /** Resolves when the upstream has been asked for this person. */
  async begun(person: Person): Promise<void> {
    await until(() => this.of(person) === 1)
  }

  /** After a restart: the call was charged at its hold and is over, its key says so for good, and the upstream is left alone. */
  async expectAmbiguous(person: Person, body: object, upstreamCalls: number): Promise<void> {
    const { site } = this
    const restarted = await site.lasting()
    const client = site.client(restarted, person)
    await site.over(person)
    const [receipt, ...more] = await site.receipts(person)
    expect(more).toEqual([])
    expect(receipt).toMatchObject({ state: 'failed', ambiguous: true, charged: receipt!.held })
    expect(receipt!.held).toBeGreaterThan(0n)
    expect(await site.balances(person)).toEqual({ balance: credits - receipt!.held, held: 0n })
    const answer = await client.receipt(receipt!.receipt_id)
    expect(answer.body).toMatchObject({
      state: 'failed',
      ambiguous: true,
      pending: false,
      details: { outcome: 'ambiguous' },
      charge: {
        ...{ lines: [], rounding_microcredits: '0', sum_microcredits: '0' },
        charged_microcredits: String(receipt!.held),
        adjustment: { kind: 'ambiguous', microcredits: String(receipt!.held) },
      },
    })

    for (const _again of [1, 2]) {
      const repeat = await site.post(client, '/v1/chat/completions', body, claim)
      expect(repeat.status).toBe(409)
      expect(repeat.body.error).toMatchObject({
        code: 'REQUEST_ALREADY_ACCEPTED',
        receipt_id: receipt!.receipt_id,
      })
      expect(repeat.headers.get('x-should-retry')).toBe('false')
    }
    expect(this.of(person)).toBe(upstreamCalls)
    expect(await site.violations()).toEqual([])
  }
}
