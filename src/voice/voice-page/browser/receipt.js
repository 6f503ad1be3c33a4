/** The lines of a call's receipt. */
import { Refusal, sentenceOf } from './api.js'
import { make } from './make.js'
import { credits, has, number, say } from './words.js'

/** @import { Api } from './api.js' */

/**
 * @typedef {{
 *   step: string, model: string, microcredits: number, steps?: number,
 *   quantities?: Record<string, number>, discarded?: true, ambiguous?: true,
 * }} Line
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
    return make('p', { className: 'error', text: isUnseen ? say('noReceipt') : sentenceOf(error) })
  }
}

/**
 * @param {Line[]} lines
 * @param {number} microcredits the sum of all lines
 */
function linesOf(lines, microcredits) {
  const list = make('ol', { className: 'lines' }, lines.map(lineOf))
  // A person without a mouse can scroll the list, too.
  list.tabIndex = 0
  list.setAttribute('aria-label', say('receipt'))
  const total = make('p', { className: 'line' }, [say('total'), sumOf(microcredits)])
  return make('div', {}, lines.length > 0 ? [list, total] : [total])
}

/** @param {number} microcredits */
const sumOf = (microcredits) =>
  make('span', { className: 'sum', text: credits(microcredits / microcreditsPerCredit) })

/** @param {Line} line */
function lineOf(line) {
  const name = has(`step_${line.step}`) ? say(`step_${line.step}`) : line.step
  const model = make('bdi', { text: line.model })
  model.dir = 'ltr'
  const facts = make('p', { className: 'facts' }, [model])
  for (const fact of factsOf(line)) facts.append(' · ', make('bdi', { text: fact }))
  return make('li', {}, [make('p', { className: 'line' }, [name, sumOf(line.microcredits)]), facts])
}

/** @param {Line} line */
const factsOf = ({ steps, quantities = {}, discarded, ambiguous }) => [
  ...(steps === undefined ? [] : [say('steps', { number: number(steps) })]),
  ...Object.entries(quantities)
    .filter(([name, value]) => value > 0 && has(`quantity_${name}`))
    .map(([name, value]) => say(`quantity_${name}`, { number: number(value) })),
  ...(discarded ? [say('discarded')] : []),
  ...(ambiguous ? [say('ambiguous')] : []),
]
