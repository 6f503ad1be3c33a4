/** The calls of the account, and their receipts. */
import { sentenceOf } from './api.js'
import { keptContentOf } from './kept.js'
import { make } from './make.js'
import { receiptOf } from './receipt.js'
import { credits, duration, formatDate, formatNumber, translate } from './words.js'

/** @import { Api } from './api.js' */

/**
 * @typedef {{
 *   id: string, status: string, reason: string | null, model: string, created_at: string,
 *   seconds: number, turns: number, microcredits: string, pending: boolean, request_id: string,
 *   store: boolean, sound: 'recording' | 'stored' | 'lost' | null, file_id: string | null,
 * }} CallRecord
 */

const pageSize = 10
const microcreditsPerCredit = 1_000_000

export class Calls {
  #api
  #list
  #more
  #error
  /** @type {string | undefined} */
  #last
  #asked = 0

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

  /** Shows the newest calls. */
  load() {
    return this.#show(() => true)
  }

  /** Shows the newest calls, unless a person is reading one of them. */
  refresh() {
    return this.#show(() => !this.#list.querySelector('.opened:not([hidden])'))
  }

  /**
   * The cost of a call in credits; undefined before it is settled.
   * @param {string} id
   */
  async costOf(id) {
    try {
      /** @type {CallRecord} */
      const { status, microcredits } = await this.#api.get(`/v1/realtime/calls/${id}`)
      return status === 'ended' ? creditsOf(microcredits) : undefined
    } catch {
      return undefined
    }
  }

  /** Adds the calls before the last one that is shown. */
  loadMore() {
    return this.#page(this.#last, (rows) => this.#list.append(...rows.map((row) => this.#row(row))))
  }

  /** @param {() => boolean} isWanted checked again when the answer is there, since a call may have been opened meanwhile */
  async #show(isWanted) {
    if (!isWanted()) return
    await this.#page(
      undefined,
      (rows) => {
        this.#list.replaceChildren(...rows.map((row) => this.#row(row)))
        if (rows.length === 0)
          this.#list.append(make('li', { className: 'hint', text: translate('noCalls') }))
      },
      isWanted,
    )
  }

  /**
   * Shows a page of calls. Of two requests under way, only the answer to the last one is shown.
   * @param {string | undefined} last
   * @param {(rows: CallRecord[]) => void} show
   */
  async #page(last, show, isWanted = () => true) {
    const asked = ++this.#asked
    const after = last === undefined ? '' : `&after=${last}`
    try {
      const { data, has_more: hasMore } = await this.#api.get(`/v1/realtime/calls?limit=${pageSize}${after}`)
      if (asked !== this.#asked || !isWanted()) return
      this.#error.textContent = ''
      this.#last = data.at(-1)?.id
      this.#more.hidden = !hasMore
      show(data)
    } catch (error) {
      if (asked === this.#asked) this.#error.textContent = sentenceOf(error)
    }
  }

  /** @param {CallRecord} call */
  #row(call) {
    const date = make('time', { text: formatDate(call.created_at) })
    date.setAttribute('datetime', call.created_at)
    const model = make('span', { className: 'name', text: call.model })
    model.dir = 'ltr'
    const facts = make('p', { className: 'facts', text: factsOf(call) })
    const row = make('li', { className: 'one-call' }, [make('p', {}, [date, ' ', model]), facts])
    if (call.status === 'ended') row.append(this.#details(call))
    return row
  }

  /** @param {CallRecord} call */
  #details(call) {
    const buttons = make('div', { className: 'buttons' })
    const date = formatDate(call.created_at)
    const details = make('div', {}, [buttons])
    /**
     * @param {'receipt' | 'kept'} name
     * @param {() => Promise<Node>} show
     */
    const add = (name, show) => {
      const opened = make('div', { className: 'opened' })
      opened.id = `${name}-${call.id}`
      buttons.append(
        toggleButton(opened, { text: translate(name), label: translate(`${name}Of`, { date }) }, show),
      )
      details.append(opened)
    }
    add('receipt', () => receiptOf(this.#api, call.request_id))
    if (call.store) add('kept', () => keptContentOf(this.#api, call, () => void this.load()))
    return details
  }
}

/**
 * A button that makes an element, shows it, and hides it.
 * @param {HTMLElement} opened
 * @param {{ text: string, label: string }} names
 * @param {() => Promise<Node>} show
 */
function toggleButton(opened, { text, label }, show) {
  opened.hidden = true
  const button = make('button', { className: 'plain', text })
  button.type = 'button'
  button.setAttribute('aria-expanded', 'false')
  button.setAttribute('aria-controls', opened.id)
  button.setAttribute('aria-label', label)
  button.addEventListener('click', async () => {
    opened.hidden = !opened.hidden
    button.setAttribute('aria-expanded', String(!opened.hidden))
    if (!opened.hidden) opened.replaceChildren(await show())
  })
  return button
}

/** @param {string} microcredits */
const creditsOf = (microcredits) => Number(microcredits) / microcreditsPerCredit

/** @param {CallRecord} call */
function factsOf(call) {
  const parts = [
    duration(call.seconds),
    translate(call.turns === 1 ? 'oneTurn' : 'turns', { number: formatNumber(call.turns) }),
  ]
  if (call.status === 'ended')
    parts.push(credits(creditsOf(call.microcredits)), translate(`ended_${call.reason}`))
  else parts.push(translate(call.pending ? 'pending' : 'active'))
  return parts.join(' · ')
}
