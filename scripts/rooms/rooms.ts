import path from 'node:path'

/**
 * The rooms of src: `platform/ledger` is the folder of that name. A file that stands directly in `src` is a room of its own (`server`),
 * and `cli` is one room.
 */
export type Room = string

/** The rings from the inside out. A room may know its own ring and those before it; the providers stand beside the engine. */
const rings: Readonly<Record<string, number>> = { platform: 0, engine: 1, providers: 1, capabilities: 2 }
const outermost = 3

export const ringOf = (room: Room): string => room.split('/')[0]!
export const rankOf = (room: Room): number =>
  room.includes('/') ? (rings[ringOf(room)] ?? outermost) : outermost

/** The room that a file is in; undefined outside of `src` and `cli`. */
export function roomOf(file: string): Room | undefined {
  const [top, ring, room] = file.split('/')
  if (top === 'cli') return 'cli'
  if (top !== 'src' || ring === undefined) return undefined
  return room === undefined ? path.posix.parse(ring).name.replace(/\.test$/, '') : `${ring}/${room}`
}

export interface Destination {
  room: Room
  /** The sentence that refuses the way there. */
  refusal?: string
}

/** Where an import of `file` leads; undefined for packages, for files outside of the rooms and within the room itself. */
export function destinationOf(file: string, specifier: string): Destination | undefined {
  const from = roomOf(file)
  if (specifier === '#app' || specifier === '#settings') {
    const room = specifier.slice(1)
    return from === room ? undefined : { room }
  }
  if (specifier.startsWith('#')) return throughDoor(specifier)
  if (!specifier.startsWith('.')) return undefined
  const target = path.posix.join(path.posix.dirname(file), specifier)
  const room = roomOf(target)
  if (room === undefined || room === from) return undefined
  if (!room.includes('/')) return { room }
  return { room, refusal: `it climbs into ${room} by ${specifier}: a room is entered by its door, #${room}.` }
}

function throughDoor(specifier: string): Destination {
  const [ring, name, ...behind] = specifier.slice(1).split('/')
  const room = `${ring}/${name}`
  // The settings of a room are read without the room: they have a door of their own.
  if (behind.length === 0 || (behind.length === 1 && behind[0] === 'settings')) return { room }
  return {
    room,
    refusal: `it reaches past the door by ${specifier}: a room is entered by its door, #${room}.`,
  }
}
