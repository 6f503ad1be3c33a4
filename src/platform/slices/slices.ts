/** Runs long computations in slices, so that none blocks the event loop. */
export { nextTurn, Slice } from './slice.ts'
export { atOnce, inSlices, itemsPerStep, mapped, ordered, type Steps } from './steps.ts'
