/** Where two recordings differ, one line a place. Members may be added and missing; texts are shown from where they part. */
export function differences(before: unknown, after: unknown, place = ''): string[] {
  if (before === undefined) return [`+ ${place}: ${excerpt(after)}`]
  if (after === undefined) return [`- ${place}: ${excerpt(before)}`]
  if (isRecord(before) && isRecord(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      differences(before[name], after[name], place === '' ? name : `${place} › ${name}`),
    )
  if (Array.isArray(before) && Array.isArray(after)) return listDifferences(before, after, place)
  if (typeof before === 'string' && typeof after === 'string') {
    if (before === after) return []
    return textDifference(before, after, place)
  }
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [`~ ${place}: ${excerpt(before)} → ${excerpt(after)}`]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of lists of equal length member by member; else what only one of them has. */
function listDifferences(before: unknown[], after: unknown[], place: string): string[] {
  if (before.length === after.length)
    return before.flatMap((item, at) => differences(item, after[at], `${place}[${at}]`))
  const left = before.map((item) => JSON.stringify(item))
  const right = after.map((item) => JSON.stringify(item))
  return [
    `~ ${place}: ${left.length} → ${right.length} items`,
    ...left.filter((item) => !right.includes(item)).map((item) => `- ${place}[]: ${excerpt(item)}`),
    ...right.filter((item) => !left.includes(item)).map((item) => `+ ${place}[]: ${excerpt(item)}`),
  ]
}

function textDifference(before: string, after: string, place: string): string[] {
  let at = 0
  while (at < before.length && before[at] === after[at]) at += 1
  const from = Math.max(0, at - 60)
  const shown = (text: string) => JSON.stringify(text.slice(from, at + 140))
  return [`~ ${place} (from ${at}):`, `    ${shown(before)}`, `    ${shown(after)}`]
}

function excerpt(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
