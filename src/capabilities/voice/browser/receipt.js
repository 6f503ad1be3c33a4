/** The lines of a call's receipt. */
import { Refusal, sentenceOf } from './api.js'
import { make } from './make.js'
import { amount, has, number, say } from './words.js'

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
    return tableOf([...steps, ...more], Number(receipt.microcredits))
  } catch (error) {
    const isUnseen = error instanceof Refusal && error.code === 'INSUFFICIENT_SCOPE'
    return make('p', { className: 'error', text: isUnseen ? say('noReceipt') : sentenceOf(error) })
  }
}

/**
 * @param {Line[]} lines
 * @param {number} microcredits of all of them
 */
function tableOf(lines, microcredits) {
  const head = make(
    'tr',
    {},
    ['step', 'model', 'quantity', 'charged'].map((name) => heading(say(name))),
  )
  const total = make('tr', {}, [make('th', { text: say('total') }), ...sum(microcredits)])
  const table = make('table', {}, [
    make('thead', {}, [head]),
    make('tbody', {}, lines.map(rowOf)),
    make('tfoot', {}, [total]),
  ])
  return make('div', { className: 'wide' }, [table])
}

/** @param {string} text */
function heading(text) {
  const cell = make('th', { text })
  cell.scope = 'col'
  return cell
}

/** @param {number} microcredits */
function sum(microcredits) {
  const cell = make('td', { text: amount(microcredits / microcreditsPerCredit) })
  const empty = make('td')
  empty.colSpan = 2
  return [empty, cell]
}

/** @param {Line} line */
function rowOf(line) {
  const model = make('bdi', { text: line.model })
  model.dir = 'ltr'
  const times = line.steps === undefined ? [] : [say('steps', { number: number(line.steps) })]
  const marks = [...(line.discarded ? [say('discarded')] : []), ...(line.ambiguous ? [say('ambiguous')] : [])]
  const step = [has(`step_${line.step}`) ? say(`step_${line.step}`) : line.step, ...times].join(' · ')
  const name = make('td', {}, [step])
  for (const mark of marks) name.append(' ', make('span', { className: 'mark', text: mark }))
  return make('tr', {}, [
    name,
    make('td', {}, [model]),
    make('td', { text: quantitiesOf(line.quantities ?? {}) }),
    make('td', { text: amount(line.microcredits / microcreditsPerCredit) }),
  ])
}

/** @param {Record<string, number>} quantities */
const quantitiesOf = (quantities) =>
  Object.entries(quantities)
    .filter(([name, value]) => value > 0 && has(`quantity_${name}`))
    .map(([name, value]) => say(`quantity_${name}`, { number: number(value) }))
    .join(' · ')
