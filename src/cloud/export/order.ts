/** The order in which objects are made: each after those that it needs, and otherwise as they are listed. */
import { Slice } from '#platform/slices'

export interface ExportObject {
  key: string
  name: string
}

export interface OrderedObjects<Item extends ExportObject> {
  items: Item[]
  /** Items that need something that is not exported, or need themselves. */
  leftOut: Item[]
}

/** Orders the items. `needs` names by their keys what an item needs; a key that is not listed is not exported. */
export async function orderByDependencies<Item extends ExportObject>(
  listed: readonly Item[],
  needs: (key: string) => readonly string[],
): Promise<OrderedObjects<Item>> {
  const slice = new Slice()
  const byKey = new Map(listed.map((item) => [item.key, item]))
  const states = new Map<string, 'open' | 'made' | 'left out'>()
  const result: OrderedObjects<Item> = { items: [], leftOut: [] }
  const settle = (item: Item, isMade: boolean): void => {
    states.set(item.key, isMade ? 'made' : 'left out')
    result[isMade ? 'items' : 'leftOut'].push(item)
  }
  for (const first of listed) {
    // The walk has no recursion: views may depend on views to any depth.
    const stack = states.has(first.key) ? [] : [{ item: first, rest: [...needs(first.key)] }]
    while (stack.length > 0) {
      if (slice.isOver()) await slice.next()
      const { item, rest } = stack.at(-1)!
      const next = states.get(item.key) === 'left out' ? undefined : rest.pop()
      states.set(item.key, states.get(item.key) ?? 'open')
      if (next === undefined) {
        if (states.get(item.key) === 'open') settle(item, true)
        stack.pop()
        continue
      }
      const needed = byKey.get(next)
      const state = states.get(next)
      if (!needed || state === 'left out' || state === 'open') settle(item, false)
      else if (state === undefined) {
        // The key is looked at again once its item is settled.
        rest.push(next)
        stack.push({ item: needed, rest: [...needs(next)] })
      }
    }
  }
  return result
}
