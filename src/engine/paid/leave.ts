/** Calls `run.leave()` when the caller disconnects, until disposed; not if the answer is finished to be fetched later. */
export function leaveOnAbort(
  { gone, isFetchable }: { gone: AbortSignal; isFetchable: boolean },
  run: { leave(): void },
): Disposable {
  const leave = (): void => {
    if (!isFetchable) run.leave()
  }
  if (gone.aborted) leave()
  gone.addEventListener('abort', leave, { once: true })
  return { [Symbol.dispose]: () => gone.removeEventListener('abort', leave) }
}
