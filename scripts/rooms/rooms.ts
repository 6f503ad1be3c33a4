import path from 'node:path'

/**
 * The rooms of src: `platform/ledger` is the folder of that name in the product `platform`. `sandbox` and `cli` are one room each, and so is
 * a file that stands directly in `src` (`server`).
 */
export type Room = string

/**
 * The products from the bottom up. A room may know those of its own product and of every product in a lower place, and no other product in
 * the same place.
 */
const places: readonly (readonly string[])[] = [
  ['platform'],
  ['core'],
  ['providers'],
  ['account', 'sandbox'],
  ['media'],
  ['text'],
  ['work'],
  ['voice', 'sites'],
  ['cloud'],
]
const wholeRooms: readonly string[] = ['sandbox']

export const productOf = (room: Room): string => room.split('/')[0]!

/** Of what composes the products: it stands above them all. */
export const outermost: number = places.length

/** How high a room stands. */
export function rankOf(room: Room): number {
  const rank = places.findIndex((products) => products.includes(productOf(room)))
  return rank < 0 ? outermost : rank
}

/** The room that a file is in; undefined outside of `src` and `cli`. */
export function roomOf(file: string): Room | undefined {
  const [top, product, room] = file.split('/')
  if (top === 'cli') return 'cli'
  if (top !== 'src' || product === undefined) return undefined
  if (room === undefined) return path.posix.parse(product).name.replace(/\.test$/, '')
  return wholeRooms.includes(product) ? product : `${product}/${room}`
}

export interface Destination {
  room: Room
  /** The sentence that refuses the way there. */
  refusal?: string
}

/** Where an import of `file` leads; undefined for packages, for files outside of the rooms and within the room itself. */
export function destinationOf(file: string, specifier: string): Destination | undefined {
  const from = roomOf(file)
  if (specifier.startsWith('#') && !specifier.includes('/')) {
    const room = specifier.slice(1)
    return from === room ? undefined : { room }
  }
  if (specifier.startsWith('#')) return throughDoor(specifier)
  if (!specifier.startsWith('.')) return undefined
  const target = path.posix.join(path.posix.dirname(file), specifier)
  const room = roomOf(target)
  if (room === undefined || room === from) return undefined
  if (!room.includes('/') && !wholeRooms.includes(room)) return { room }
  return { room, refusal: `it climbs into ${room} by ${specifier}: a room is entered by its door, #${room}.` }
}

function throughDoor(specifier: string): Destination {
  const [product, name, ...behind] = specifier.slice(1).split('/')
  const room = `${product}/${name}`
  // The settings of a room are read without the room: they have a door of their own.
  if (behind.length === 0 || (behind.length === 1 && behind[0] === 'settings')) return { room }
  return {
    room,
    refusal: `it reaches past the door by ${specifier}: a room is entered by its door, #${room}.`,
  }
}
