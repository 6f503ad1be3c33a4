import { type Ledger, type LedgerOptions, openLedger } from '#platform/ledger'
import { joinProcesses, type ProcessesOptions } from '#platform/processes'

/** A ledger of a process of its own, which ends with it; for tests that open no server. */
export async function openLedgerAlone({
  timing,
  ...ask
}: Omit<LedgerOptions, 'processes'> & Pick<ProcessesOptions, 'timing'>): Promise<Ledger> {
  const processes = await joinProcesses({ ...ask, timing })
  const ledger = openLedger({ ...ask, processes })
  return {
    ...ledger,
    async [Symbol.asyncDispose]() {
      await ledger[Symbol.asyncDispose]()
      await processes[Symbol.asyncDispose]()
    },
  }
}
