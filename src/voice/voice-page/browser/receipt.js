/** The lines of a call's receipt. */
import { Refusal, sentenceOf } from './api.js'
import { make } from './make.js'
import { credits, formatNumber, hasPhrase, translate } from './words.js'

/** @import { Api } from './api.js' */

/**
 * @typedef {{
 *   step: string, model: string, microcredits: number, steps?: number,
 *   quantities?: Record<string, number>, discarded?: true, ambiguous?: true,
 * }} ReceiptLine
 */

const microcreditsPerCredit = 1_000_000

/**
 * @param {Api} api
 * @param {string} requestId
 */
export async function receiptOf(api, requestId) {
  try {
    const receipt = await api.get(`/v1/requests/${requestId}`)
    const { steps = [], more = [] } = receipt.details ?? {}
    return linesOf([...steps, ...more], Number(receipt.microcredits))
  } catch (error) {
    const isUnseen = error instanceof Refusal && error.code === 'INSUFFICIENT_SCOPE'
    return make('p', { className: 'error', text: isUnseen ? translate('noReceipt') : sentenceOf(error) })
  }
}

/**
 * @param {ReceiptLine[]} lines
 * @param {number} microcredits the sum of all lines
 */
function linesOf(lines, microcredits) {
  const list = make('ol', { className: 'lines' }, lines.map(lineOf))
  // A person without a mouse can scroll the list, too.
  list.tabIndex = 0
  list.setAttribute('aria-label', translate('receipt'))
  const total = make('p', { className: 'line' }, [translate('total'), sumOf(microcredits)])
  return make('div', {}, lines.length > 0 ? [list, total] : [total])
}

/** @param {number} microcredits */
const sumOf = (microcredits) =>
  make('span', { className: 'sum', text: credits(microcredits / microcreditsPerCredit) })

/** @param {ReceiptLine} line */
function lineOf(line) {
  const name = hasPhrase(`step_${line.step}`) ? translate(`step_${line.step}`) : line.step
  const model = make('bdi', { text: line.model })
  model.dir = 'ltr'
  const facts = make('p', { className: 'facts' }, [model])
  for (const fact of factsOf(line)) facts.append(' · ', make('bdi', { text: fact }))
  return make('li', {}, [make('p', { className: 'line' }, [name, sumOf(line.microcredits)]), facts])
}

/** @param {ReceiptLine} line */
const factsOf = ({ steps, quantities = {}, discarded, ambiguous }) => [
  ...(steps === undefined ? [] : [translate('steps', { number: formatNumber(steps) })]),
  ...Object.entries(quantities)
    .filter(([name, value]) => value > 0 && hasPhrase(`quantity_${name}`))
    .map(([name, value]) => translate(`quantity_${name}`, { number: formatNumber(value) })),
  ...(discarded ? [translate('discarded')] : []),
  ...(ambiguous ? [translate('ambiguous')] : []),
]
