/** Which columns of tables a view shows, read from its definition as PostgreSQL keeps it: a tree in parentheses and braces. */

export interface ViewColumn {
  /** The column's number in the view. */
  number: number
  /** The column that it shows, of a table or of another view. */
  tableId: string
  place: number
}

/** The columns of a view that show others; computed ones are left out. A definition of another form gives none. */
export function readViewColumns(definition: string): ViewColumn[] {
  return targets(definition).flatMap((text) => {
    const [number, tableId, place] = [':resno ', ':resorigtbl ', ':resorigcol '].map((label) =>
      digitsAfter(text, label),
    )
    if (!number || !place || !tableId || tableId === '0' || !text.includes(':resjunk false')) return []
    return [{ number: Number(number), tableId, place: Number(place) }]
  })
}

/** The digits of the last member with this label; undefined where there is none. */
function digitsAfter(text: string, label: string): string | undefined {
  const at = text.lastIndexOf(label)
  return at === -1 ? undefined : /^\d+/.exec(text.slice(at + label.length, at + label.length + 20))?.[0]
}

const begin = ':targetList ('

/** The text of each entry in the outermost list of columns, without what is nested in it. */
function targets(text: string): string[] {
  const found: string[] = []
  let [depth, isWithin, from] = [0, false, 0]
  let own = ''
  for (let at = 0; at < text.length; at++) {
    const one = text[at]
    if (one === '\\') at++
    else if (one === '(' || one === '{') {
      if (isWithin && depth === 4) own += text.slice(from, at)
      depth++
      if (isWithin && depth === 4) [own, from] = ['', at + 1]
    } else if (one === ')' || one === '}') {
      if (isWithin && depth === 4) found.push(own + text.slice(from, at))
      depth--
      if (isWithin && depth === 4) from = at + 1
      if (isWithin && depth === 2) return found
    } else if (one === ':' && depth === 2 && text.startsWith(begin, at)) {
      isWithin = true
      at += begin.length - 2
    }
  }
  return []
}
