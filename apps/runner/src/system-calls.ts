/** The system calls that commands in the sandbox do not need, by the ability that they would give. */
const refused = {
  keyrings: ["add_key", "request_key", "keyctl"],
  otherProcesses: ["ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "perf_event_open"],
  mounts: [
    ...["mount", "umount2", "pivot_root", "open_tree", "open_tree_attr", "move_mount", "mount_setattr"],
    ...["fsopen", "fsconfig", "fsmount", "fspick", "setns", "name_to_handle_at", "open_by_handle_at"],
  ],
  kernel: [
    ...["bpf", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "fanotify_init"],
    ...["init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "syslog"],
    ...["swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "lookup_dcookie", "nfsservctl"],
  ],
} as const;

export const refusedCalls = Object.values(refused).flat();
type Name = (typeof refusedCalls)[number];
type Numbers = Readonly<Record<Name, number>>;

/** Calls since Linux 5.1, which have the same number on every architecture. */
const young = {
  ...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, open_tree: 428, move_mount: 429 },
  ...{ fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433, pidfd_getfd: 438, mount_setattr: 442 },
  ...{ quotactl_fd: 443, open_tree_attr: 467 },
};
/** The numbers in Linux's include/uapi/asm-generic/unistd.h. */
const generic: Numbers = {
  ...young,
  ...{ add_key: 217, request_key: 218, keyctl: 219, ptrace: 117, process_vm_readv: 270, process_vm_writev: 271 },
  ...{ kcmp: 272, perf_event_open: 241, mount: 40, umount2: 39, pivot_root: 41, setns: 268 },
  ...{ name_to_handle_at: 264, open_by_handle_at: 265, bpf: 280, userfaultfd: 282, fanotify_init: 262 },
  ...{ init_module: 105, finit_module: 273, delete_module: 106, kexec_load: 104, kexec_file_load: 294 },
  ...{ reboot: 142, syslog: 116, swapon: 224, swapoff: 225, acct: 89, quotactl: 60, lookup_dcookie: 18 },
  nfsservctl: 42,
};
/** The numbers in Linux's arch/x86/entry/syscalls/syscall_64.tbl. */
const x64: Numbers = {
  ...young,
  ...{ add_key: 248, request_key: 249, keyctl: 250, ptrace: 101, process_vm_readv: 310, process_vm_writev: 311 },
  ...{ kcmp: 312, perf_event_open: 298, mount: 165, umount2: 166, pivot_root: 155, setns: 308 },
  ...{ name_to_handle_at: 303, open_by_handle_at: 304, bpf: 321, userfaultfd: 323, fanotify_init: 300 },
  ...{ init_module: 175, finit_module: 313, delete_module: 176, kexec_load: 246, kexec_file_load: 320 },
  ...{ reboot: 169, syslog: 103, swapon: 167, swapoff: 168, acct: 163, quotactl: 179, lookup_dcookie: 212 },
  nfsservctl: 180,
};

/** The kernel's id of an architecture in filters (AUDIT_ARCH_…), and its system call numbers. */
export type Architecture = { audit: number; calls: Numbers };

/** Architectures by Node's `process.arch`. */
export const architectures: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, calls: x64 },
  arm64: { audit: 0xc00000b7, calls: generic },
  riscv64: { audit: 0xc00000f3, calls: generic },
  loong64: { audit: 0xc0000102, calls: generic },
};
