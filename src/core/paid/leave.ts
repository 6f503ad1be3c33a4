interface LeaveOptions {
  gone: AbortSignal
  isFetchable: boolean
  isStored?: boolean
}

/**
 * Calls `run.leave` when the caller disconnects, until disposed; not if the answer is finished to be fetched later. An order whose result is stored
 * is read to its end if it was sent, and is no longer sent if it was not.
 */
export function leaveOnAbort(
  { gone, isFetchable, isStored = false }: LeaveOptions,
  run: { leave(finishes?: boolean): void },
): Disposable {
  const leave = (): void => {
    if (isStored) run.leave(true)
    else if (!isFetchable) run.leave()
  }
  if (gone.aborted) leave()
  gone.addEventListener('abort', leave, { once: true })
  return { [Symbol.dispose]: () => gone.removeEventListener('abort', leave) }
}
