import type { Room } from './rooms.ts'

/**
 * The rooms that still import the whole `App` (`#app`) and declare no slice of it. The list only shrinks: a room that is not listed may not import
 * `#app`, and a listed room that does not import it is refused.
 */
export const appRooms: readonly Room[] = []
