/** Finds the places in a developer's code for places in the bundle that was made of it. */
import { Slice } from '#platform/slices'
import { type Mappings, type SourcePosition, segmentsOf } from './source-map.ts'

/**
 * The places in the file that became these places of the bundle; undefined for what came from elsewhere. Long mappings are read in slices:
 * those of the longest code are half a megabyte.
 */
export async function sourcePositions(
  mappings: Mappings,
  places: readonly SourcePosition[],
): Promise<(SourcePosition | undefined)[]> {
  const found: (SourcePosition | undefined)[] = places.map(() => undefined)
  const slice = new Slice()
  let count = 0
  for (const [bundleLine, [column, , line, sourceColumn]] of segmentsOf(mappings)) {
    for (const [at, place] of places.entries())
      if (bundleLine === place.line - 1 && column <= place.column - 1)
        found[at] = { line: line + 1, column: sourceColumn + 1 }
    if (++count % segmentsAtOnce === 0 && slice.isOver()) await slice.next()
  }
  return found
}

const segmentsAtOnce = 500
