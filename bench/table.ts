/** Tables in Markdown, ready for README.md, and the figure that stands in them. */

export function table(head: string[]): void {
  row(head)
  row(head.map(() => '---'))
}

export const row = (cells: string[]): void => console.log(`| ${cells.join(' | ')} |`)

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
