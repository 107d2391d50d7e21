-- PUTs new keys of one size: the paths of a file, presigned, each once.
local body = io.open("/dev/urandom", "rb"):read(tonumber(os.getenv("BENCH_BYTES")))
local paths, threads = {}, {}
turn = 0 -- global, as known is: done() asks for them

function setup(thread)
  threads[#threads + 1] = thread
end

function init(_)
  for path in io.lines(os.getenv("BENCH_PATHS")) do
    paths[#paths + 1] = path
  end
  known = #paths
end

function request()
  turn = turn + 1
  return wrk.format("PUT", paths[math.min(turn, known)], nil, body)
end

function done()
  for _, thread in ipairs(threads) do
    if thread:get("turn") > thread:get("known") then
      print("the " .. thread:get("known") .. " keys ran out")
    end
  end
end
