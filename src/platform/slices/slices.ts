/** Runs long computations in slices, so that none blocks the event loop. */
export { nextTurn, Slice } from './slice.ts'
export { itemsPerStep, mapInSteps, runAtOnce, runInSlices, type Steps, sortInSteps } from './steps.ts'
