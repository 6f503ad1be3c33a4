/**
 * The filters of system calls of jailed processes, as programs of classic BPF that bubblewrap loads. They refuse calls that have been used to escape
 * user namespaces: foreign kinds of sockets, new namespaces and mounts, tracing, and the kernel's own interpreters. A program that only computes and
 * communicates over given sockets gets neither processes nor files; a server that keeps data, such as PostgreSQL, needs both.
 */

export type Architecture = 'x64' | 'arm64'

/** `AUDIT_ARCH_…` of the kernel: every call by another table of numbers (32 bit) is refused. */
const auditArchitectures: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** What runs in the jail: a program that computes, or a server that has processes and files. */
export type JailKind = 'program' | 'server'

/** The numbers of calls on x64 and arm64, by name; null if the architecture has no such call. */
type Calls = Readonly<Record<string, readonly [x64: number | null, arm64: number | null]>>

const refusedToPrograms: Calls = {
  // New processes.
  fork: [57, null],
  vfork: [58, null],
  // Creating files: a program may not write anywhere.
  creat: [85, null],
  mkdir: [83, null],
  mkdirat: [258, 34],
  symlink: [88, null],
  symlinkat: [266, 36],
  link: [86, null],
  linkat: [265, 37],
  rename: [82, null],
  renameat: [264, 38],
  renameat2: [316, 276],
  // Memory that no limit of the process counts.
  shmget: [29, 194],
}

const refused: Calls = {
  // Access to other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_send_signal: [424, 424],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  // Namespaces and mounts.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  // Devices, and access to files by their number.
  mknod: [133, null],
  mknodat: [259, 33],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  // Memory that no limit of the process counts.
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  semget: [64, 190],
  msgget: [68, 186],
  userfaultfd: [323, 282],
  // Interpreters and stores of the kernel.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Control of the machine.
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  personality: [135, 92],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  uselib: [134, null],
  lookup_dcookie: [212, 18],
}

/** The numbers of calls whose arguments decide. */
const numbers = {
  x64: { open: 2, openat: 257, openat2: 437, socket: 41, socketpair: 53, clone: 56, clone3: 435 },
  arm64: { open: null, openat: 56, openat2: 437, socket: 198, socketpair: 199, clone: 220, clone3: 435 },
} as const

const cloneThread = 0x0001_0000
/** Every `CLONE_NEW…` flag except CLONE_NEWTIME, for which `clone` has no bit. */
const cloneNamespaces = 0x7e02_0000
const createsFile = 0o100
const unixSocket = 1

const errno = { EPERM: 1, EACCES: 13, ENOSYS: 38 } as const

const load = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const jumpIfSet = 0x45
const and = 0x54
const answer = 0x06

const allow = 0x7fff_0000
const refuse = (code: number): number => 0x0005_0000 | code
const killProcess = 0x8000_0000

/** Offsets in `struct seccomp_data`; an argument's offset is that of its lower half, which is all that these calls use. */
const offsetOfNumber = 0
const offsetOfArchitecture = 4
const offsetOfArgument = (index: number): number => 16 + 8 * index

interface Instruction {
  code: number
  whenTrue?: number
  whenFalse?: number
  value: number
}

/** A block that starts after the number of the call was loaded: it either answers, or falls through with the number loaded. */
type Block = Instruction[]

export function seccompFilter(architecture: Architecture, jailed: JailKind = 'program'): Buffer {
  const callNumbers = numbers[architecture]
  const index = architecture === 'x64' ? 0 : 1
  const blocks: Block[] = [
    checksArchitecture(architecture),
    // The second table of numbers of x64 (x32).
    architecture === 'x64'
      ? [
          { code: jumpIfAtLeast, whenTrue: 0, whenFalse: 1, value: 0x4000_0000 },
          { code: answer, value: refuse(errno.ENOSYS) },
        ]
      : [],
    ...Object.values(jailed === 'program' ? { ...refused, ...refusedToPrograms } : refused).map((pair) =>
      refusesNumber(pair[index]!, errno.EPERM),
    ),
    // The flags of these calls are in memory, where no filter sees them: programs fall back to `clone` and `openat`.
    refusesNumber(callNumbers.clone3, errno.ENOSYS),
    refusesNumber(callNumbers.openat2, errno.ENOSYS),
    ...(jailed === 'program'
      ? [refusesCreation(callNumbers.open, 1), refusesCreation(callNumbers.openat, 2)]
      : []),
    refusesWhen(callNumbers.socket, 0, [{ code: jumpIfEqual, whenTrue: 1, whenFalse: 0, value: unixSocket }]),
    refusesWhen(callNumbers.socketpair, 0, [
      { code: jumpIfEqual, whenTrue: 1, whenFalse: 0, value: unixSocket },
    ]),
    refusesWhen(callNumbers.clone, 0, jailed === 'program' ? onlyThreads : noNamespaces),
    [{ code: answer, value: allow }],
  ]
  return encode(blocks.flat())
}

const checksArchitecture = (architecture: Architecture): Block => [
  { code: load, value: offsetOfArchitecture },
  { code: jumpIfEqual, whenTrue: 1, whenFalse: 0, value: auditArchitectures[architecture] },
  { code: answer, value: killProcess },
  { code: load, value: offsetOfNumber },
]

const refusesCreation = (number: number | null, flags: number): Block =>
  refusesWhen(number, flags, [{ code: jumpIfSet, whenTrue: 0, whenFalse: 1, value: createsFile }])

/** Allows only threads: a process that cannot fork has no children to hide. */
const onlyThreads: Block = [
  { code: and, value: cloneThread | cloneNamespaces },
  { code: jumpIfEqual, whenTrue: 1, whenFalse: 0, value: cloneThread },
]

const noNamespaces: Block = [{ code: jumpIfSet, whenTrue: 0, whenFalse: 1, value: cloneNamespaces }]

const refusesNumber = (number: number | null, code: number): Block =>
  number === null
    ? []
    : [
        { code: jumpIfEqual, whenTrue: 0, whenFalse: 1, value: number },
        { code: answer, value: refuse(code) },
      ]

/** Refuses a call depending on an argument: `condition` ends in a jump over the refusal or into it. */
function refusesWhen(number: number | null, argument: number, condition: Block): Block {
  if (number === null) return []
  const body: Block = [
    { code: load, value: offsetOfArgument(argument) },
    ...condition,
    { code: answer, value: refuse(errno.EACCES) },
    { code: answer, value: allow },
  ]
  return [{ code: jumpIfEqual, whenTrue: 0, whenFalse: body.length, value: number }, ...body]
}

/** Encodes instructions as `struct sock_filter`, eight bytes each. */
function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * instructions.length)
  for (const [index, { code, whenTrue = 0, whenFalse = 0, value }] of instructions.entries()) {
    bytes.writeUInt16LE(code, 8 * index)
    bytes.writeUInt8(whenTrue, 8 * index + 2)
    bytes.writeUInt8(whenFalse, 8 * index + 3)
    bytes.writeUInt32LE(value >>> 0, 8 * index + 4)
  }
  return bytes
}
