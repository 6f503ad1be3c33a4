import type { Arrow } from './arrows.ts'
import type { Room } from './rooms.ts'

/** The circles among the rooms, each by one shortest way around it: an arrow for every step. Rooms on a reported circle are not reported again. */
export function circlesOf(arrows: readonly Arrow[]): Arrow[][] {
  const leaving = Map.groupBy(arrows, ({ from }) => from)
  const reported = new Set<Room>()
  const circles: Arrow[][] = []
  for (const room of [...leaving.keys()].toSorted()) {
    if (reported.has(room)) continue
    const circle = wayBack(room, leaving)
    if (!circle) continue
    for (const { from } of circle) reported.add(from)
    circles.push(circle)
  }
  return circles
}

/** The shortest way from a room to itself, searched in breadth. */
function wayBack(start: Room, leaving: ReadonlyMap<Room, readonly Arrow[]>): Arrow[] | undefined {
  const arrivedBy = new Map<Room, Arrow>()
  const waiting: Room[] = [start]
  for (let room = waiting.shift(); room !== undefined; room = waiting.shift()) {
    for (const arrow of leaving.get(room) ?? []) {
      if (arrivedBy.has(arrow.to)) continue
      arrivedBy.set(arrow.to, arrow)
      if (arrow.to === start) return wayTo(start, arrivedBy)
      waiting.push(arrow.to)
    }
  }
  return undefined
}

function wayTo(start: Room, arrivedBy: ReadonlyMap<Room, Arrow>): Arrow[] {
  const way: Arrow[] = []
  let arrow = arrivedBy.get(start)!
  way.unshift(arrow)
  while (arrow.from !== start) {
    arrow = arrivedBy.get(arrow.from)!
    way.unshift(arrow)
  }
  return way
}

/** One sentence of a circle, with the place of each arrow. */
export function describeCircle(circle: readonly Arrow[], kind: string): string {
  const rooms = [...circle.map(({ from }) => from), circle[0]!.from].join(' → ')
  const places = circle.map(({ file, line, specifier }) => `\n    ${file}:${line} imports ${specifier}`)
  return `Rooms know one another in a circle ${kind}: ${rooms}.${places.join('')}`
}
