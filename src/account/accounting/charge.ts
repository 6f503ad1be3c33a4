/** How a charge was computed, from the lines that its settlement has recorded at the prices of that moment. */
import type { Static } from 'typebox'
import { type Cost, explainedLines, noCost, readCost } from '#core/models'
import { millionthsText, type Receipt } from '#platform/ledger'
import type { Charge } from './charge-schema.ts'

type ReceiptFigures = Pick<Receipt, 'state' | 'ambiguous' | 'held' | 'charged' | 'model' | 'detail'>

/** The lines, what rounding adds, and what else made the charge; null where none were recorded, as by an earlier release. */
export function explainCharge(row: ReceiptFigures): Static<typeof Charge> | null {
  const cost = recordedCost(row)
  if (!cost) return null
  const lines = explainedLines(cost)
  const exact = lines.reduce((sum, { millionths }) => sum + millionths, 0n)
  return {
    lines: lines.map(({ unit, quantity, price, per, millionths, model, step }) => ({
      unit,
      quantity,
      price_microcredits: String(price),
      per,
      microcredits: millionthsText(millionths),
      ...(model !== undefined && { model }),
      ...(step !== undefined && { step }),
    })),
    rounding_microcredits: millionthsText(cost.microcredits * million - exact),
    sum_microcredits: String(cost.microcredits),
    charged_microcredits: String(row.charged),
    adjustment: adjustmentOf(row, cost),
  }
}

function recordedCost({ state, ambiguous, model, detail }: ReceiptFigures): Cost | undefined {
  if (state === 'running') return undefined
  // Nobody saw the end of the call, so nothing was counted.
  return readCost(detail?.['charge'], model) ?? (ambiguous ? noCost : undefined)
}

function adjustmentOf(row: ReceiptFigures, cost: Cost): Static<typeof Charge>['adjustment'] {
  const kind = adjustmentKind(row, cost)
  return kind ? { kind, microcredits: String(row.charged - cost.microcredits) } : null
}

function adjustmentKind(
  { ambiguous, held, charged, detail }: ReceiptFigures,
  { parts, microcredits }: Cost,
): NonNullable<Static<typeof Charge>['adjustment']>['kind'] | undefined {
  if (ambiguous) return charged > 0n ? 'ambiguous' : 'lost'
  // A call that was taken for lost, whose process then told what it had cost: its hold was there, and it stays free.
  if (charged === 0n && microcredits > 0n && held > 0n) return 'lost'
  if (charged < microcredits) return 'within_hold'
  if (parts.length === 0) return 'free'
  return detail?.['hold_raised_from'] === undefined ? undefined : 'raised'
}

const million = 1_000_000n
