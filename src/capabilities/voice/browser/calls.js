/** The calls of the account, and their receipts. */
import { sentenceOf } from './api.js'
import { make } from './make.js'
import { receiptOf } from './receipt.js'
import { credits, duration, number, say, when } from './words.js'

/** @import { Api } from './api.js' */

/**
 * @typedef {{
 *   id: string, status: string, reason: string | null, model: string, created_at: string,
 *   seconds: number, turns: number, credits: number, pending: boolean, request_id: string,
 * }} CallRecord
 */

const pageSize = 10

export class Calls {
  #api
  #list
  #more
  #error
  /** @type {string | undefined} */
  #last

  /**
   * @param {Api} api
   * @param {{ list: HTMLElement, more: HTMLElement, error: HTMLElement }} elements
   */
  constructor(api, { list, more, error }) {
    this.#api = api
    this.#list = list
    this.#more = more
    this.#error = error
  }

  /** From the newest on. */
  async load() {
    this.#last = undefined
    await this.#page((rows) => {
      this.#list.replaceChildren(...rows.map((row) => this.#row(row)))
      if (rows.length === 0) this.#list.append(make('li', { className: 'hint', text: say('noCalls') }))
    })
  }

  /** Those before the last one that is shown. */
  loadMore() {
    return this.#page((rows) => this.#list.append(...rows.map((row) => this.#row(row))))
  }

  /** @param {(rows: CallRecord[]) => void} show */
  async #page(show) {
    const after = this.#last === undefined ? '' : `&after=${this.#last}`
    try {
      const { data, has_more: hasMore } = await this.#api.get(`/v1/realtime/calls?limit=${pageSize}${after}`)
      this.#error.textContent = ''
      this.#last = data.at(-1)?.id
      this.#more.hidden = !hasMore
      show(data)
    } catch (error) {
      this.#error.textContent = sentenceOf(error)
    }
  }

  /** @param {CallRecord} call */
  #row(call) {
    const date = make('time', { text: when(call.created_at) })
    date.setAttribute('datetime', call.created_at)
    const model = make('span', { className: 'name', text: call.model })
    model.dir = 'ltr'
    const facts = make('p', { className: 'facts', text: factsOf(call) })
    const row = make('li', { className: 'one-call' }, [make('p', {}, [date, ' ', model]), facts])
    if (call.status === 'ended') row.append(...this.#details(call))
    return row
  }

  /**
   * A button, and what it opens.
   * @param {CallRecord} call
   */
  #details(call) {
    const id = `receipt-${call.id}`
    const opened = make('div', { className: 'receipt' })
    opened.id = id
    opened.hidden = true
    const button = make('button', { className: 'plain', text: say('receipt') })
    button.setAttribute('type', 'button')
    button.setAttribute('aria-expanded', 'false')
    button.setAttribute('aria-controls', id)
    button.setAttribute('aria-label', say('receiptOf', { date: when(call.created_at) }))
    button.addEventListener('click', async () => {
      opened.hidden = !opened.hidden
      button.setAttribute('aria-expanded', String(!opened.hidden))
      if (!opened.hidden) opened.replaceChildren(await receiptOf(this.#api, call.request_id))
    })
    return [button, opened]
  }
}

/** @param {CallRecord} call */
function factsOf(call) {
  const parts = [
    duration(call.seconds),
    say(call.turns === 1 ? 'oneTurn' : 'turns', { number: number(call.turns) }),
  ]
  if (call.status === 'ended') parts.push(credits(call.credits), say(`ended_${call.reason}`))
  else parts.push(say(call.pending ? 'pending' : 'active'))
  return parts.join(' · ')
}
