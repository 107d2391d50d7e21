# What the scripts of this folder share; sourced by them. Each has its name in $0.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() { say "$*"; exit 2; }
need() { command -v "$1" > /dev/null || fail "$1 not found: install package $2"; }

export SLUICE_ACCESS_KEY=comparekey SLUICE_SECRET_KEY=comparesecret
work=
pids=()
clusters=()
mounts=()
groups=()

make_work_folder() { # folder or empty: a new folder in it, removed at the end with all that was started and mounted
  if [[ -n $1 ]]; then mkdir -p "$1"; fi
  work=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/sluice-${0##*/}-XXXXXX")
  trap clean_up EXIT
  trap 'exit 130' INT TERM
}

clean_up() {
  local each
  for each in "${pids[@]}"; do kill "$each" 2> /dev/null || true; done
  for each in "${groups[@]}"; do stop_throttling "$each"; done
  for each in "${clusters[@]}"; do "$root/sluice" down --dir "$each" > /dev/null 2>&1 || say "could not stop $each"; done
  wait "${pids[@]}" 2> /dev/null || true
  for each in "${groups[@]}"; do rmdir "$each" || say "could not remove $each"; done
  for each in "${mounts[@]}"; do umount "$each" 2> /dev/null || umount -l "$each" || say "could not unmount $each"; done
  rm -rf "$work" "${images:-$work}"
}

# The generator runs with the full compiler, unlike the short-lived commands of ./sluice.
prepare_bench() {
  if [[ -n ${BENCH_CLASSPATH:-} ]]; then
    classpath=$BENCH_CLASSPATH
  else
    "$root/sluice" --version > /dev/null || fail "./sluice does not build"
    "$root/deploy/start-cache" || fail "deploy/start-cache failed"
    classpath="${SLUICE_DIST:-$root/cli/target/dist}/lib/*"
  fi
  java_home=$("$root/deploy/java-home")
}

bench() {
  "$java_home/bin/java" -Xmx256m -XX:MaxDirectMemorySize=256m --enable-native-access=ALL-UNNAMED \
    --sun-misc-unsafe-memory-access=allow -cp "$classpath" dev.sluice.bench.BenchCommand "$@"
}

await_answer() { # url: until something answers HTTP there
  local deadline=$((SECONDS + 30))
  until curl -s -o /dev/null --max-time 2 "$1"; do
    ((SECONDS < deadline)) || fail "nothing answers at $1"
    sleep 0.1
  done
}

start_minio() { # program, folders of its drives; sets $minio_url and $minio_pid
  local port console
  port=$(free_port) console=$(free_port)
  MINIO_ROOT_USER=$SLUICE_ACCESS_KEY MINIO_ROOT_PASSWORD=$SLUICE_SECRET_KEY MINIO_CI_CD=1 \
    "$1" server --quiet --address "127.0.0.1:$port" --console-address "127.0.0.1:$console" "${@:2}" \
    > "$work/minio.log" 2>&1 &
  minio_pid=$! minio_url=http://127.0.0.1:$port
  pids+=("$minio_pid")
  await_answer "$minio_url/minio/health/live"
}

field() { # name: of the JSON that bench prints; a/b is b in a
  python3 -c 'import functools, json, sys
print(functools.reduce(lambda at, name: at.get(name, 0), sys.argv[1].split("/"), json.load(sys.stdin)))' "$1"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Runs of consecutive free ports for a cluster: the proxy at the first, the target a hundred later.
free_cluster_port() {
  python3 - << 'PYTHON'
import random, socket
def free(port):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try: s.bind(("127.0.0.1", port))
        except OSError: return False
    return True
print(next(p for p in iter(lambda: random.randrange(20000, 32000), None) if free(p) and free(p + 100)))
PYTHON
}

start_cluster() { # folder, further options: one proxy, one target
  local dir=$1
  shift
  clusters+=("$dir")
  "$root/sluice" up --dir "$dir" --proxies 1 --targets 1 --port "$(free_cluster_port)" "$@" > /dev/null
}

node() { # folder role field: of the first node of that role
  python3 -c 'import json, sys
nodes = json.load(open(sys.argv[1] + "/cluster.json"))["nodes"]
print(str(next(n[sys.argv[3]] for n in nodes if n["role"] == sys.argv[2])).rstrip("/"))' "$1" "$2" "$3"
}

# File systems of their own, $work/drive1 and so on, in files that are removed at the end.
make_drives() { # how many, size, type, folder for the files
  local i image
  [[ $(id -u) == 0 ]] || fail "mounting file systems needs root"
  images=$(mktemp -d "$4/sluice-images-XXXXXX")
  for ((i = 1; i <= $1; i++)); do
    image=$images/$i
    truncate -s "$2" "$image"
    case "$3" in
      ext4) mkfs.ext4 -q -F -m 0 -b 4096 "$image" ;;
      xfs) mkfs.xfs -q -f "$image" ;;
      *) fail "ext4 or xfs, not $3" ;;
    esac
    mkdir "$work/drive$i"
    mount_image "$image" "$work/drive$i" || fail "loop devices do not work here"
    mounts+=("$work/drive$i")
  done
}

# Past the page cache of the disk that has the image, where that disk can do it: it would count as the drive's memory.
mount_image() { # image, folder
  local device
  device=$(losetup --find --show --direct-io=on "$1" 2> /dev/null) || device=$(losetup --find --show "$1") || return
  mount "$device" "$2"
  losetup --detach "$device" # once it is unmounted
}

# A group that processes are put into; throttle sets what it may do with a drive's device.
make_group() { # sets $group
  local base=/sys/fs/cgroup/blkio
  [[ -w $base/blkio.throttle.read_iops_device ]] || [[ -d $base && -w $base ]] || fail "needs the blkio controller of cgroup v1 at $base"
  group=$base/sluice-${0##*/}-$$
  mkdir "$group"
  groups+=("$group")
}

device_of() { # mount: as major:minor
  mountpoint -d "$1"
}

throttle() { # group, device, operations a second; 0: no limit
  echo "$2 $3" > "$1/blkio.throttle.read_iops_device"
  echo "$2 $3" > "$1/blkio.throttle.write_iops_device"
}

stop_throttling() { # group: its processes leave it, nothing is limited
  local line
  for line in $(awk '{ print $1 }' "$1"/blkio.throttle.{read,write}_iops_device | sort -u); do throttle "$1" "$line" 0; done
  while read -r line; do echo "$line" > "${1%/*}/cgroup.procs" || true; done < "$1/cgroup.procs"
}

metric() { # url name: the largest value
  curl -s "$1/metrics" | awk -v name="$2" 'index($1, name "{") == 1 && $2 > most { most = $2 } END { print int(most) }'
}
