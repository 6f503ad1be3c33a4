import type { ReactNode } from 'react'
import type { Group } from '../../spending/sums.ts'
import { Id, Name } from '../../words/personal.tsx'
import { useWords } from '../../words/use-words.ts'
import type { Dimension } from './names.ts'
import { usageWords } from './usage.words.ts'

const isCode = (dimension: Dimension): boolean => dimension === 'model' || dimension === 'endpoint'

/** A group by the name that people know; what has none says what it is. */
export function GroupLabel({
  group: { value, name },
  dimension,
}: {
  group: Pick<Group, 'value' | 'name'>
  dimension: Dimension
}): ReactNode {
  const words = useWords(usageWords)
  if (value === undefined) return words.without[dimension]
  if (isCode(dimension)) return <Id>{value}</Id>
  if (dimension === 'customer') return <Name>{value}</Name>
  return name ? <Name>{name}</Name> : words.without[dimension === 'person' ? 'key' : dimension]
}
